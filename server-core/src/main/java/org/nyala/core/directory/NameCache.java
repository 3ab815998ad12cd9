package org.nyala.core.directory;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.Schema;

/**
 * Parses names, and remembers those that are repeated often.
 *
 * <p>Confined to one running operation; serves one after the other. Hot: clients search below few
 * bases, and a remembered name costs a comparison.
 */
public final class NameCache {
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

  public Dn parse(String text) throws LdapOperationException {
    if (text.isEmpty()) {
      return Dn.EMPTY;
    }
    Dn known = remembered(text);
    if (known != null) {
      return known;
    }
    if (text.length() > LONGEST_REMEMBERED) {
      return parseUnknown(text);
    }
    Dn name = parseBelowParent(text);
    remember(text, name);
    return name;
  }

  /**
   * Parses only the first RDN if the parent is remembered: clients bind as one of many below few
   * parents. Escapes and quotes may hide a comma, so names with any are parsed as a whole.
   */
  private Dn parseBelowParent(String text) throws LdapOperationException {
    int comma = text.indexOf(',');
    boolean isPlain = text.indexOf('\\') < 0 && text.indexOf('"') < 0 && text.indexOf(';') < 0;
    if (comma <= 0 || comma == text.length() - 1 || !isPlain) {
      return parseUnknown(text);
    }
    String parentText = text.substring(comma + 1);
    if (parentText.isBlank() || text.substring(0, comma).isBlank()) {
      return parseUnknown(text);
    }
    Dn parent = remembered(parentText);
    if (parent == null || parent.rdnCount() >= limits.requests().dnRdns()) {
      Dn name = parseUnknown(text);
      remember(parentText, name.parent());
      return name;
    }
    Dn name = parseUnknown(text.substring(0, comma)).under(parent);
    return name.raw().length <= limits.requests().dnLength() ? name : parseUnknown(text);
  }

  private @Nullable Dn remembered(String text) {
    int slot = slot(text);
    return text.equals(texts[slot]) ? names[slot] : null;
  }

  private void remember(String text, Dn name) {
    int slot = slot(text);
    texts[slot] = text;
    names[slot] = name;
  }

  private static int slot(String text) {
    int hash = text.hashCode();
    return (hash ^ hash >>> 16) & SLOTS - 1;
  }

  private Dn parseUnknown(String text) throws LdapOperationException {
    try {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      return DnParser.parse(schema, utf8, limits.requests().dnLength(), limits.requests().dnRdns());
    } catch (InvalidDnException e) {
      throw new LdapOperationException(
          ResultCode.INVALID_DN_SYNTAX, e.getMessage() == null ? "invalid DN" : e.getMessage());
    }
  }
}
