package org.nyala.core.operation;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ServerLimits;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.schema.Schema;

/**
 * Parses names, and remembers those that come again and again.
 *
 * <p>Confined to one running operation; serves one after the other. Hot: clients search below few
 * bases, and a remembered name costs a comparison.
 */
final class NameCache {
  private static final int SLOTS = 256;

  /**
   * Longer names are parsed each time, so that the cache stays small: at most 256 × about 1 KiB.
   */
  private static final int LONGEST_REMEMBERED = 256;

  private final Schema schema;
  private final ServerLimits limits;
  private final @Nullable String[] texts = new String[SLOTS];
  private final @Nullable Dn[] names = new Dn[SLOTS];

  NameCache(Schema schema, ServerLimits limits) {
    this.schema = schema;
    this.limits = limits;
  }

  Dn parse(String text) throws LdapOperationException {
    if (text.isEmpty()) {
      return Dn.EMPTY;
    }
    int hash = text.hashCode();
    int slot = (hash ^ hash >>> 16) & SLOTS - 1;
    Dn known = names[slot];
    if (known != null && text.equals(texts[slot])) {
      return known;
    }
    Dn name = parseUnknown(text);
    if (text.length() <= LONGEST_REMEMBERED) {
      texts[slot] = text;
      names[slot] = name;
    }
    return name;
  }

  private Dn parseUnknown(String text) throws LdapOperationException {
    try {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      return DnParser.parse(schema, utf8, limits.dnLength(), limits.dnRdns());
    } catch (InvalidDnException e) {
      throw new LdapOperationException(
          ResultCode.INVALID_DN_SYNTAX, e.getMessage() == null ? "invalid DN" : e.getMessage());
    }
  }
}
