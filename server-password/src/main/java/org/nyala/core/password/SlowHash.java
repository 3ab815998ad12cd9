package org.nyala.core.password;

import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A hash of a slow scheme as its stored form was read, once for each login: what it costs, how
 * strong it is, and whether it may be computed at all. Immutable; nothing shows salt or hash.
 */
interface SlowHash {
  /** Reads a value of a slow scheme; null if it is not of the scheme's format. */
  static @Nullable SlowHash read(PasswordScheme scheme, byte[] stored) {
    if (scheme == PasswordScheme.ARGON2) {
      return Argon2.read(stored);
    }
    String text = new String(stored, StandardCharsets.ISO_8859_1);
    if (scheme.isScram()) {
      return ScramKeys.read(scheme, text);
    }
    return scheme.isKeyDerivation() ? Pbkdf2.read(scheme, text) : new CryptFormats(text);
  }

  /** Returns whether some password may match: nothing is damaged, and no number out of range. */
  boolean isWellFormed();

  /** Returns the bound that the work exceeds, as words; null if it is within all. */
  @Nullable String excess(HashBounds bounds);

  /** Returns whether another hash of the same scheme takes as long to check. */
  boolean costsAs(SlowHash other);

  HashStrength strength();

  /** Returns a stored form of the same settings with a hash that no password has. */
  byte[] decoy();

  /** Returns whether this is the hash of a password; false if that is no longer wanted. */
  boolean matches(byte[] password, BooleanSupplier isUnwanted);
}
