package org.nyala.core.password;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The stored passwords that match no password here, told by their schemes. Stateless. */
public final class UnverifiableHash {
  /** The beginning of a format of crypt(3), such as {@code $7$}. */
  private static final Pattern FORMAT = Pattern.compile("\\$[A-Za-z0-9_-]{1,16}\\$");

  private UnverifiableHash() {}

  /**
   * Returns the scheme of a value that matches no password, whatever the bounds of work are, with
   * nothing of its salt or hash: {@code {SASL}}, {@code {CRYPT}$7$}, {@code {SSHA} (damaged)}; null
   * if some password may match.
   */
  public static @Nullable String scheme(byte[] stored) {
    int close = PasswordHash.endOfScheme(stored);
    if (close < 0) {
      return null;
    }
    PasswordScheme scheme = PasswordHash.scheme(stored, close);
    if (scheme == null) {
      String name = new String(stored, 1, close - 1, StandardCharsets.ISO_8859_1);
      return '{' + name.toUpperCase(Locale.ROOT) + '}';
    }
    String label = '{' + scheme.label() + '}';
    if (scheme == PasswordScheme.CRYPT || scheme == PasswordScheme.BCRYPT) {
      return crypt(label, stored, close + 1);
    }
    return PasswordHash.parse(stored, scheme, close).isUsable() ? null : label + " (damaged)";
  }

  private static @Nullable String crypt(String label, byte[] stored, int from) {
    String hash = new String(stored, from, stored.length - from, StandardCharsets.ISO_8859_1);
    if (CryptFormats.isWellFormed(hash)) {
      return null;
    }
    Matcher format = FORMAT.matcher(hash);
    return format.lookingAt() ? label + format.group() : label + " (damaged)";
  }
}
