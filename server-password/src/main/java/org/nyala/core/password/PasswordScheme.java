package org.nyala.core.password;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The protection of a stored password: the word in braces before it (RFC 2307, section 5.3). */
public enum PasswordScheme {
  /** Not at all. */
  CLEARTEXT("", 0, false),
  MD5("MD5", 16, false),
  /** MD5 with salt. */
  SMD5("MD5", 16, true),
  SHA("SHA-1", 20, false),
  /** SHA-1 with salt. */
  SSHA("SHA-1", 20, true),
  SHA256("SHA-256", 32, false),
  /** SHA-256 with salt. */
  SSHA256("SHA-256", 32, true),
  SHA384("SHA-384", 48, false),
  /** SHA-384 with salt. */
  SSHA384("SHA-384", 48, true),
  SHA512("SHA-512", 64, false),
  /** SHA-512 with salt. */
  SSHA512("SHA-512", 64, true),
  /** The formats of crypt(3): DES, {@code $1$}, {@code $5$}, {@code $6$}, bcrypt, yescrypt. */
  CRYPT("", 0, true),
  /** bcrypt, also found under {@link #CRYPT}. */
  BCRYPT("", 0, true),
  /** PBKDF2 (RFC 8018) with HMAC-SHA-1. */
  PBKDF2_SHA1("PBKDF2-SHA1", "HmacSHA1", 20),
  /** PBKDF2 with HMAC-SHA-256. */
  PBKDF2_SHA256("PBKDF2-SHA256", "HmacSHA256", 32),
  /** PBKDF2 with HMAC-SHA-512. */
  PBKDF2_SHA512("PBKDF2-SHA512", "HmacSHA512", 64),
  /** Argon2 (RFC 9106), which takes memory, too. */
  ARGON2("", 0, true),
  /** The keys of SCRAM-SHA-256 (RFC 7677). */
  SCRAM_SHA256("SCRAM-SHA-256", "HmacSHA256", 32),
  /** The keys of SCRAM-SHA-512. */
  SCRAM_SHA512("SCRAM-SHA-512", "HmacSHA512", 64);

  private static final PasswordScheme[] ALL = values();

  private final String label;
  private final String digest;
  private final int digestLength;
  private final boolean salted;
  private final int keyLength;

  PasswordScheme(String digest, int digestLength, boolean salted) {
    this.label = name();
    this.digest = digest;
    this.digestLength = digestLength;
    this.salted = salted;
    this.keyLength = 0;
  }

  /** A scheme with a pseudorandom function and the bytes of its result. */
  PasswordScheme(String label, String function, int keyLength) {
    this.label = label;
    this.digest = function;
    this.digestLength = 0;
    this.salted = true;
    this.keyLength = keyLength;
  }

  /** The name between the braces. */
  public String label() {
    return label;
  }

  /** The scheme of a name in ASCII, from one place to before another, in any case; or null. */
  static @Nullable PasswordScheme of(byte[] text, int from, int to) {
    for (PasswordScheme scheme : ALL) {
      if (scheme.isNamed(text, from, to)) {
        return scheme;
      }
    }
    return of(new String(text, from, to - from, StandardCharsets.ISO_8859_1));
  }

  private boolean isNamed(byte[] text, int from, int to) {
    if (label.length() != to - from) {
      return false;
    }
    for (int i = 0; i < label.length(); i++) {
      int octet = text[from + i];
      int upper = octet >= 'a' && octet <= 'z' ? octet - 'a' + 'A' : octet;
      if (upper != label.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** The scheme of a name without braces in any case, or null. */
  public static @Nullable PasswordScheme of(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    for (PasswordScheme scheme : ALL) {
      if (scheme.label.equals(upper)) {
        return scheme;
      }
    }
    return switch (upper) {
      case "SHA-256" -> SHA256;
      case "SHA-384" -> SHA384;
      case "SHA-512" -> SHA512;
      case "SSHA-256" -> SSHA256;
      case "SSHA-384" -> SSHA384;
      case "SSHA-512" -> SSHA512;
      case "PBKDF2" -> PBKDF2_SHA1;
      default -> null;
    };
  }

  /** Returns whether the scheme is one pass of a digest. */
  public boolean isDigest() {
    return digestLength > 0;
  }

  /**
   * Returns whether checking takes long by design, or may, so that it must not hold up other work.
   */
  public boolean isSlow() {
    return this == CRYPT || this == BCRYPT || this == ARGON2 || keyLength > 0;
  }

  /** Returns whether the scheme is PBKDF2. */
  boolean isKeyDerivation() {
    return keyLength > 0 && !isScram();
  }

  /** Returns whether the values are the keys of SCRAM. */
  public boolean isScram() {
    return this == SCRAM_SHA256 || this == SCRAM_SHA512;
  }

  /** Length of a derived key, in bytes. */
  int keyLength() {
    return keyLength;
  }

  /**
   * The digest's name for {@link java.security.MessageDigest}, or that of the function for {@link
   * javax.crypto.Mac}.
   */
  String digest() {
    return digest;
  }

  /** Length of the digest in bytes. */
  int digestLength() {
    return digestLength;
  }

  /** Returns whether equal passwords are stored differently. */
  boolean isSalted() {
    return salted;
  }
}
