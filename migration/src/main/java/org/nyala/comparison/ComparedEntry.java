package org.nyala.comparison;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nyala.core.bytes.Utf8;
import org.nyala.error.ErrorMessages;
import org.nyala.log.SecretAttributes;

/**
 * An entry as it is compared: its name without case, and the values of attributes in a fixed order.
 *
 * <p>Immutable.
 *
 * @param uuid its permanent identifier, or a digest of its name
 * @param dn its name as it is shown
 * @param name its name in the form in which names are equal
 * @param attributes values by lower-case name with options in order
 */
public record ComparedEntry(
    UUID uuid, String dn, String name, Map<String, List<byte[]>> attributes) {
  static final String ENTRY_UUID = "entryUUID";

  /** The attributes of a difference that are shown. */
  private static final int SHOWN_ATTRIBUTES = 1000;

  /** The characters of a name that are held once an entry is too large. */
  private static final int SHOWN_CHARACTERS = 512;

  private static final int SHOWN_BYTES = 64;

  /** The bytes that an object takes in memory, besides what it is for. */
  private static final int OBJECT_BYTES = 32;

  private static final int SHOWN_VALUES = 20;

  /** The bytes of a digest that stand for those of a value. */
  private static final int SUMMARY_BYTES = 8;

  /** Parts of the names of further attributes whose values open doors. */
  private static final List<String> SECRET_PARTS =
      List.of(
          "password",
          "passwd",
          "secret",
          "pwdhistory",
          "unicodepwd",
          "rootpw",
          "pkcs12",
          "privatekey",
          "krbprincipalkey",
          "krbpwdhistory",
          "krbmkey",
          "krb5key",
          "nthash");

  /**
   * Takes an entry over.
   *
   * @param ignored lower-case names of attributes that do not count
   * @throws IllegalStateException if it is shown without its identifier
   */
  static ComparedEntry of(SearchResultEntry entry, Set<String> ignored) {
    Map<String, List<byte[]>> all = new TreeMap<>();
    for (Attribute attribute : entry.getAttributes()) {
      if (!ignored.contains(attribute.getBaseName().toLowerCase(Locale.ROOT))) {
        List<byte[]> values = new ArrayList<>(List.of(attribute.getValueByteArrays()));
        values.sort(Arrays::compare);
        all.put(description(attribute), values);
      }
    }
    return new ComparedEntry(uuid(entry), entry.getDN(), normalized(entry.getDN()), all);
  }

  static UUID uuid(SearchResultEntry entry) {
    String text = entry.getAttributeValue(ENTRY_UUID);
    try {
      if (text != null) {
        return UUID.fromString(text);
      }
    } catch (IllegalArgumentException _) {
      // Told below.
    }
    throw new IllegalStateException(
        "the entry "
            + ErrorMessages.printable(entry.getDN())
            + " is shown without a permanent identifier (entryUUID): another identity is needed");
  }

  private static String description(Attribute attribute) {
    return Stream.concat(
            Stream.of(attribute.getBaseName()), attribute.getOptions().stream().sorted())
        .collect(Collectors.joining(";"))
        .toLowerCase(Locale.ROOT);
  }

  private static String normalized(String dn) {
    try {
      return DN.normalize(dn);
    } catch (LDAPException _) {
      return dn;
    }
  }

  /** Returns the first half of the digest of a name, by which entries are found. */
  static UUID key(String name) {
    ByteBuffer bytes = ByteBuffer.wrap(sha256().digest(name.getBytes(StandardCharsets.UTF_8)));
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  /** Returns about the number of bytes that it takes in memory. */
  long bytes() {
    long bytes = OBJECT_BYTES + Character.BYTES * ((long) dn.length() + name.length());
    for (Map.Entry<String, List<byte[]>> attribute : attributes.entrySet()) {
      bytes += 2L * OBJECT_BYTES + Character.BYTES * (long) attribute.getKey().length();
      for (byte[] value : attribute.getValue()) {
        bytes += value.length + OBJECT_BYTES;
      }
    }
    return bytes;
  }

  /** Returns the entry with a digest in the place of all attributes, however many there are. */
  ComparedEntry reduced() {
    EntryDigests.Digest digest = digest();
    String summary =
        attributes.size()
            + " of SHA-256 "
            + HexFormat.of().toHexDigits(digest.high())
            + HexFormat.of().toHexDigits(digest.low());
    String shown = dn.substring(0, Math.min(dn.length(), SHOWN_CHARACTERS));
    return new ComparedEntry(
        uuid,
        shown,
        uuid.toString(),
        Map.of("attributes", List.of(summary.getBytes(StandardCharsets.UTF_8))));
  }

  /** Returns the entry with the number and a digest of values in the place of each attribute's. */
  ComparedEntry summarized() {
    Map<String, List<byte[]>> all = new TreeMap<>();
    attributes.forEach(
        (name, values) -> {
          MessageDigest digest = sha256();
          values.forEach(value -> update(digest, value));
          String hex = HexFormat.of().formatHex(digest.digest(), 0, SUMMARY_BYTES);
          String summary = values.size() + " values of SHA-256 " + hex;
          all.put(name, List.of(summary.getBytes(StandardCharsets.UTF_8)));
        });
    return new ComparedEntry(uuid, dn, name, all);
  }

  /** Returns a digest of name and attributes. */
  EntryDigests.Digest digest() {
    MessageDigest digest = sha256();
    update(digest, name.getBytes(StandardCharsets.UTF_8));
    attributes.forEach(
        (name, values) -> {
          update(digest, name.getBytes(StandardCharsets.UTF_8));
          update(digest, values.size());
          values.forEach(value -> update(digest, value));
        });
    ByteBuffer bytes = ByteBuffer.wrap(digest.digest());
    return new EntryDigests.Digest(bytes.getLong(), bytes.getLong());
  }

  private static void update(MessageDigest digest, byte[] part) {
    update(digest, part.length);
    digest.update(part);
  }

  private static void update(MessageDigest digest, int number) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(number).flip());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the differences from another state of the entry, a line each, but not those of too many
   * attributes; none if it is equal.
   */
  List<String> differences(ComparedEntry other) {
    List<String> parts = new ArrayList<>();
    if (!name.equals(other.name)) {
      parts.add("name: " + ErrorMessages.printable(dn) + " | " + ErrorMessages.printable(other.dn));
    }
    Set<String> names = new TreeSet<>(attributes.keySet());
    names.addAll(other.attributes.keySet());
    int more = 0;
    for (String name : names) {
      List<byte[]> mine = attributes.getOrDefault(name, List.of());
      List<byte[]> theirs = other.attributes.getOrDefault(name, List.of());
      if (!isSame(mine, theirs) && parts.size() >= SHOWN_ATTRIBUTES) {
        more++;
      } else if (!isSame(mine, theirs)) {
        parts.add(
            ErrorMessages.printable(name)
                + (isSecret(name)
                    ? " differs"
                    : ": " + shown(mine, theirs) + " | " + shown(theirs, mine)));
      }
    }
    if (more > 0) {
      parts.add("and " + more + " more attributes");
    }
    return parts;
  }

  /** Returns whether no value of an attribute may be shown. */
  private static boolean isSecret(String name) {
    return SecretAttributes.mayBe(name) || SECRET_PARTS.stream().anyMatch(name::contains);
  }

  private static boolean isSame(List<byte[]> one, List<byte[]> other) {
    boolean isSame = one.size() == other.size();
    for (int i = 0; isSame && i < one.size(); i++) {
      isSame = Arrays.equals(one.get(i), other.get(i));
    }
    return isSame;
  }

  /** Returns the values that only one of two has, cut short. */
  private static String shown(List<byte[]> values, List<byte[]> others) {
    Set<byte[]> known = new TreeSet<>(Comparator.comparing((byte[] each) -> each, Arrays::compare));
    known.addAll(others);
    List<String> texts = new ArrayList<>();
    int more = 0;
    for (byte[] value : values) {
      if (!known.contains(value) && texts.size() == SHOWN_VALUES) {
        more++;
      } else if (!known.contains(value)) {
        texts.add(shown(value));
      }
    }
    if (more > 0) {
      texts.add("and " + more + " more");
    }
    return texts.isEmpty() ? "-" : String.join(", ", texts);
  }

  /**
   * Returns the beginning of a value; with its length and a digest, if that is not all or values
   * could look alike that are not.
   */
  private static String shown(byte[] value) {
    if (!Utf8.isValid(value, 0, value.length)) {
      return "(" + identity(value) + ")";
    }
    int end = Math.min(SHOWN_BYTES, value.length);
    while (end < value.length && (value[end] & 0xc0) == 0x80) {
      end--;
    }
    String text = new String(value, 0, end, StandardCharsets.UTF_8);
    String printable = ErrorMessages.printable(text);
    boolean isPlain =
        !text.isEmpty()
            && text.equals(printable)
            && text.equals(text.strip())
            && Normalizer.isNormalized(text, Normalizer.Form.NFC);
    if (end < value.length) {
      return printable + "... (" + identity(value) + ")";
    }
    return isPlain ? text : printable + " (" + identity(value) + ")";
  }

  private static String identity(byte[] value) {
    String hex = HexFormat.of().formatHex(sha256().digest(value), 0, SUMMARY_BYTES);
    return value.length + " bytes, SHA-256 " + hex;
  }
}
