package org.nyala.integrity;

import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.schema.Schema;

/** Computes with names. */
final class Names {
  private Names() {}

  /** The name that an entry has once the entry {@code before} is named {@code after}. */
  static Dn moved(Schema schema, Dn name, Dn before, Dn after) {
    if (!name.isWithin(before)) {
      return name;
    }
    int below = name.rdnCount() - before.rdnCount();
    if (below == 0) {
      return after;
    }
    ByteAppender moved = new ByteAppender(after.raw().length + 64);
    for (int i = 0; i < below; i++) {
      moved.append(name.rdn(i)).append(',');
    }
    moved.append(after.raw());
    return DnParser.parseStored(schema, moved.toByteArray());
  }
}
