package org.nyala.core.password;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.codec.digest.Crypt;
import org.apache.directory.api.ldap.model.password.BCrypt;
import org.jspecify.annotations.Nullable;
import org.nyala.core.yescrypt.Yescrypt;
import org.nyala.core.yescrypt.YescryptSettings;

/** A hash in one of the formats of crypt(3), or of bcrypt. Immutable. */
final class CryptFormats implements SlowHash {
  private static final String BCRYPT_ALPHABET =
      "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  private static final String CRYPT_ALPHABET =
      "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int BCRYPT_SALT_LENGTH = 16;
  private static final int BCRYPT_SALT_CHARACTERS = 22;
  private static final int CRYPT_SALT_CHARACTERS = 16;

  /**
   * Bytes of a password. The SHA formats take time by the square of the length, so that one long
   * password would occupy a thread for hours; 512 is also what crypt(3) takes.
   */
  private static final int PASSWORD_LENGTH_MAXIMUM = 512;

  /** The bytes of a password that bcrypt uses; further ones would not matter. */
  private static final int BCRYPT_LENGTH_MAXIMUM = 72;

  /** The characters of a password that DES uses, of seven bits each; further ones do not matter. */
  private static final int DES_LENGTH_MAXIMUM = 8;

  private static final int DES_SALT_CHARACTERS = 2;
  private static final Pattern COSTS =
      Pattern.compile("\\$(2[a-z]?\\$[0-9]+|[0-9]\\$(rounds=[0-9]+)?|g?y\\$[^$]*+\\$)");

  /** DES, MD5, SHA-crypt and bcrypt, as the verifiers take them. */
  private static final Pattern KNOWN =
      Pattern.compile(
          "[./0-9A-Za-z]{13}"
              + "|\\$1\\$[./0-9A-Za-z]{1,8}\\$[./0-9A-Za-z]{22}"
              + "|\\$5\\$(rounds=0*+[0-9]{1,9}+\\$)?[./0-9A-Za-z]{1,16}\\$[./0-9A-Za-z]{43}"
              + "|\\$6\\$(rounds=0*+[0-9]{1,9}+\\$)?[./0-9A-Za-z]{1,16}\\$[./0-9A-Za-z]{86}"
              + "|\\$2[aby]?\\$(0[4-9]|[12][0-9])\\$[./0-9A-Za-z]{53}");

  private static final int YESCRYPT_HASH_CHARACTERS = 43;

  private static final Pattern ROUNDS = Pattern.compile("\\$[56]\\$rounds=0*+([0-9]++)\\$.*");
  private static final Pattern COST = Pattern.compile("\\$2[a-z]?\\$([0-9]{2})\\$.*");

  private final String hash;

  /** The settings that determine the duration of a check: all but salt and hash. */
  private final String settings;

  /** Reads a stored form: text of any format is one, if not of a format that is known. */
  CryptFormats(String hash) {
    Matcher costs = COSTS.matcher(hash);
    this.hash = hash;
    this.settings = costs.lookingAt() ? costs.group() : "";
  }

  /** Returns true: one that is damaged is found when it is compared. */
  @Override
  public boolean isWellFormed() {
    return true;
  }

  @Override
  public @Nullable String excess(HashBounds bounds) {
    Matcher rounds = ROUNDS.matcher(hash);
    if (rounds.matches() && HashBounds.exceeds(rounds.group(1), bounds.cryptRounds())) {
      return "more than "
          + bounds.cryptRounds()
          + " rounds of SHA-crypt (password.maximumCryptRounds)";
    }
    if (YescryptSettings.is(hash)) {
      return bounds.yescryptExcess(hash);
    }
    Matcher cost = COST.matcher(hash);
    return cost.matches() && HashBounds.exceeds(cost.group(1), bounds.bcryptCost())
        ? "a cost of bcrypt beyond " + bounds.bcryptCost() + " (password.maximumBcryptCost)"
        : null;
  }

  @Override
  public boolean costsAs(SlowHash other) {
    return other instanceof CryptFormats as && settings.equals(as.settings);
  }

  @Override
  public HashStrength strength() {
    return HashStrength.crypt(settings);
  }

  /** Returns whether a text is of a format that is known, and not damaged. */
  static boolean isWellFormed(String hash) {
    return YescryptSettings.is(hash)
        ? YescryptSettings.parse(hash) != null
            && hash.length() - hash.lastIndexOf('$') - 1 == YESCRYPT_HASH_CHARACTERS
        : KNOWN.matcher(hash).matches();
  }

  /**
   * Returns whether this is the hash of {@code password}; false for an unknown format, for
   * passwords of more than {@value #PASSWORD_LENGTH_MAXIMUM} bytes, and if the answer is no longer
   * wanted.
   */
  @Override
  public boolean matches(byte[] password, BooleanSupplier isUnwanted) {
    if (password.length > PASSWORD_LENGTH_MAXIMUM) {
      return false;
    }
    String computed;
    try {
      if (YescryptSettings.is(hash)) {
        return matchesYescrypt(hash, password, isUnwanted);
      }
      if (ShaCrypt.is(hash)) {
        return matchesSha(hash, password, isUnwanted);
      }
      computed = isBcrypt(hash) ? bcrypt(password, hash) : crypt(password, hash);
    } catch (IllegalArgumentException
        | StringIndexOutOfBoundsException
        | CharacterCodingException _) {
      return false;
    }
    return MessageDigest.isEqual(
        hash.getBytes(StandardCharsets.ISO_8859_1), computed.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static boolean matchesSha(String stored, byte[] password, BooleanSupplier isUnwanted) {
    int settings = stored.lastIndexOf('$');
    String computed = ShaCrypt.hash(password, stored, isUnwanted);
    return computed != null
        && MessageDigest.isEqual(
            stored.substring(settings + 1).getBytes(StandardCharsets.ISO_8859_1),
            computed.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Takes the memory of the settings first, which bounds have limited. */
  private static boolean matchesYescrypt(
      String stored, byte[] password, BooleanSupplier isUnwanted) {
    YescryptSettings settings = YescryptSettings.parse(stored);
    if (settings == null || isUnwanted.getAsBoolean()) {
      return false;
    }
    try (HashMemory.Loan memory = HashMemory.borrow(settings.kibibytes(), settings.longs())) {
      String computed = Yescrypt.hash(password, settings, memory.longs(), isUnwanted);
      return computed != null
          && MessageDigest.isEqual(
              stored.getBytes(StandardCharsets.ISO_8859_1),
              computed.getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  /** The library overwrites the password that it is given. */
  private static String crypt(byte[] password, String settings) {
    return Crypt.crypt(password.clone(), settings);
  }

  private static boolean isBcrypt(String hash) {
    return hash.startsWith("$2");
  }

  /** Bytes that are not UTF-8 could not be distinguished, and are refused instead. */
  private static String bcrypt(byte[] password, String settings) throws CharacterCodingException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(password)).toString();
    return BCrypt.hashPw(text, settings);
  }

  /**
   * Returns whether this matches no other password than {@code password}, if it matches that at
   * all: DES and bcrypt cut passwords off, and one that fills the room may have a rest.
   */
  boolean isWhole(byte[] password) {
    if (isBcrypt(hash)) {
      return password.length < BCRYPT_LENGTH_MAXIMUM;
    }
    boolean isDes = !hash.startsWith("$");
    if (isDes) {
      for (byte each : password) {
        isDes &= each > 0;
      }
      return isDes && password.length < DES_LENGTH_MAXIMUM;
    }
    return true;
  }

  /** Returns the same settings and salt with a hash that no password has. */
  @Override
  public byte[] decoy() {
    int saltAt = Math.max(hash.lastIndexOf('$') + 1, DES_SALT_CHARACTERS);
    int end = isBcrypt(hash) ? saltAt + BCRYPT_SALT_CHARACTERS : saltAt;
    String kept = hash.substring(0, Math.min(end, hash.length()));
    return (kept + "!").getBytes(StandardCharsets.ISO_8859_1);
  }

  static String createBcrypt(byte[] password, int cost, RandomGenerator random) {
    if (password.length > BCRYPT_LENGTH_MAXIMUM) {
      throw new IllegalArgumentException(
          "bcrypt takes passwords of at most " + BCRYPT_LENGTH_MAXIMUM + " bytes");
    }
    byte[] salt = new byte[BCRYPT_SALT_LENGTH];
    random.nextBytes(salt);
    String settings = "$2a$" + (cost < 10 ? "0" : "") + cost + '$' + bcryptBase64(salt);
    try {
      return bcrypt(password, settings);
    } catch (CharacterCodingException _) {
      throw new IllegalArgumentException("bcrypt takes passwords in UTF-8");
    }
  }

  /** Six bits a character, the most significant first, without padding. */
  private static String bcryptBase64(byte[] bytes) {
    StringBuilder text = new StringBuilder(BCRYPT_SALT_CHARACTERS);
    for (int bit = 0; text.length() < BCRYPT_SALT_CHARACTERS; bit += 6) {
      int index = bit / 8;
      int next = index + 1 < bytes.length ? bytes[index + 1] & 0xff : 0;
      int window = (bytes[index] & 0xff) << 8 | next;
      text.append(BCRYPT_ALPHABET.charAt(window >>> 10 - bit % 8 & 0x3f));
    }
    return text.toString();
  }

  static String createSha512Crypt(byte[] password, int rounds, RandomGenerator random) {
    if (password.length > PASSWORD_LENGTH_MAXIMUM) {
      throw new IllegalArgumentException(
          "crypt takes passwords of at most " + PASSWORD_LENGTH_MAXIMUM + " bytes");
    }
    StringBuilder settings = new StringBuilder("$6$");
    if (rounds != ShaCrypt.DEFAULT_ROUNDS) {
      settings.append("rounds=").append(rounds).append('$');
    }
    for (int i = 0; i < CRYPT_SALT_CHARACTERS; i++) {
      settings.append(CRYPT_ALPHABET.charAt(random.nextInt(CRYPT_ALPHABET.length())));
    }
    return crypt(password, settings.toString());
  }
}
