package org.nyala.core.access.decide;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.RdnReader;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.Schema;

/**
 * The RDN of the entry at hand, normalised when it is asked for.
 *
 * <p>Confined to one running operation. Hot.
 */
final class OwnRdn {
  private static final byte[] NONE = {};

  private final Schema schema;
  private @Nullable RdnReader reader;
  private @Nullable EntryView view;
  private @Nullable Dn name;
  private byte[] bytes = NONE;
  private int length;
  private boolean isRead;

  OwnRdn(Schema schema) {
    this.schema = schema;
  }

  /** Turns to an entry below another one; the view is not to be moved on before the next turn. */
  void turnTo(EntryView entry) {
    view = entry;
    name = null;
    isRead = false;
  }

  /** Turns to an entry whose whole name is known. */
  void turnTo(Dn entry) {
    view = null;
    name = entry;
    isRead = false;
  }

  /** The normal form, of which the first {@link #length} bytes count. Borrowed. */
  byte[] bytes() {
    read();
    return bytes;
  }

  int length() {
    read();
    return length;
  }

  private void read() {
    if (isRead) {
      return;
    }
    EntryView entry = view;
    Dn whole = name;
    if (entry != null) {
      ByteAppender rdn = reader().normalize(entry.buffer(), entry.rdnStart(), entry.rdnLength());
      bytes = rdn.array();
      length = rdn.length();
    } else {
      bytes = whole == null || whole.rdnCount() == 0 ? NONE : whole.normalizedRdn(0);
      length = bytes.length;
    }
    isRead = true;
  }

  private RdnReader reader() {
    RdnReader known = reader;
    if (known == null) {
      known = new RdnReader(schema);
      reader = known;
    }
    return known;
  }

  /** The value of an RDN that has one, as names contain it. */
  String value() {
    EntryView entry = view;
    Dn whole = name;
    byte[] rdn = NONE;
    if (entry != null) {
      rdn = new byte[entry.rdnLength()];
      entry.buffer().get(entry.rdnStart(), rdn);
    } else if (whole != null) {
      rdn = whole.rdn(0);
    }
    return Level.valueOf(new String(rdn, StandardCharsets.UTF_8));
  }
}
