package org.nyala.blind;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.asn1.ASN1Element;
import com.unboundid.asn1.ASN1Exception;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The parts of messages, and messages without what servers draw by lot or from the clock. */
final class Messages {
  private static final int CONTROLS = 0xa0;
  private static final int INTERMEDIATE = 0x79;
  private static final int MOST_SHOWN = 3;
  private static final int GENERATED_PASSWORD_BYTES = 16;

  /** Numbers of changes that the data do not bring along. */
  private static final Pattern CSN =
      Pattern.compile("((?<=csn=)|(?!2020))\\d{14}\\.\\d{6}Z#[0-9a-f]{6}#[0-9a-f]{3}#[0-9a-f]{6}");

  /** The identity of a server's history in a cookie of a synchronization. */
  private static final Pattern HISTORY = Pattern.compile("(?<=,history=)[0-9a-f]{16}");

  private static final Pattern TIME = Pattern.compile("(?<!\\d)(?!2020|2999)[23]\\d{13}Z");
  private static final Pattern UUID =
      Pattern.compile(
          "(?!00000000)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");

  /** An octet string with a random UUID (RFC 9562). */
  private static final Pattern BINARY_UUID =
      Pattern.compile("\\x04\\x10.{6}[\\x40-\\x4f].[\\x80-\\xbf].{7}", Pattern.DOTALL);

  private static final Pattern HASH = Pattern.compile("\\{SSHA512\\}[A-Za-z0-9+/=]+");

  /** The identifiers of one server's entries, in the order in which they were seen. */
  static final class Known {
    private final Map<String, String> uuids = new HashMap<>();

    private String number(String uuid) {
      return uuids.computeIfAbsent(uuid, _ -> "%016d".formatted(uuids.size()));
    }
  }

  private Messages() {}

  private static ASN1Element[] parts(byte[] message) {
    try {
      return ASN1Sequence.decodeAsSequence(message).elements();
    } catch (ASN1Exception e) {
      throw new AssertionError(e);
    }
  }

  static ASN1Element operation(byte[] message) {
    return parts(message)[1];
  }

  /** Returns the elements of a constructed element. */
  static ASN1Element[] within(ASN1Element element) {
    try {
      return ASN1Sequence.decodeAsSequence(element).elements();
    } catch (ASN1Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the elements of an encoded sequence. */
  static ASN1Element[] within(byte[] sequence) {
    try {
      return ASN1Sequence.decodeAsSequence(sequence).elements();
    } catch (ASN1Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Returns whether a message tells of a new cookie of a synchronization alone (RFC 4533). */
  static boolean isNewCookie(byte[] message) {
    ASN1Element operation = operation(message);
    if ((operation.getType() & 0xff) != INTERMEDIATE) {
      return false;
    }
    ASN1Element[] parts = within(operation);
    return parts.length == 2 && parts[1].getValue()[0] == (byte) 0x80;
  }

  /** Returns the name of a search result entry. */
  static String name(byte[] entry) {
    return within(operation(entry))[0].decodeAsOctetString().stringValue();
  }

  /** Returns the result code of a message that ends an operation. */
  static int code(byte[] message) {
    return new BigInteger(within(operation(message))[0].getValue()).intValue();
  }

  /** Returns the value of a response control; null if it has not come. */
  static byte @Nullable [] control(byte[] message, String oid) {
    ASN1Element[] parts = parts(message);
    if (parts.length < 3 || (parts[2].getType() & 0xff) != CONTROLS) {
      return null;
    }
    for (ASN1Element each : within(parts[2])) {
      ASN1Element[] control = within(each);
      if (control[0].decodeAsOctetString().stringValue().equals(oid)) {
        return control[control.length - 1].getValue();
      }
    }
    return null;
  }

  /** Returns the value of an extended response; null if it has none. */
  static @Nullable ASN1OctetString extendedValue(byte[] message) {
    ASN1Element[] parts = within(operation(message));
    ASN1Element last = parts[parts.length - 1];
    return (last.getType() & 0xff) == 0x8b ? last.decodeAsOctetString() : null;
  }

  /**
   * Returns messages with numbers, times, identifiers, hashes, generated passwords and cookies of
   * servers replaced, byte for byte.
   *
   * @param secrets values that this server has made, which the other one makes differently
   */
  static List<String> comparable(List<byte[]> messages, Known known, List<byte[]> secrets) {
    return messages.stream().map(each -> comparable(each, known, secrets)).toList();
  }

  private static String comparable(byte[] message, Known known, List<byte[]> secrets) {
    String text = new String(message, ISO_8859_1);
    for (byte[] secret : secrets) {
      text = text.replace(new String(secret, ISO_8859_1), "?".repeat(secret.length));
    }
    text = masked(CSN, text, any -> "?".repeat(any.group().length()));
    text = masked(HISTORY, text, any -> "?".repeat(any.group().length()));
    text = masked(TIME, text, _ -> "00000000000000Z");
    text = masked(UUID, text, uuid -> "uuid " + known.number(uuid.group().replace("-", "")));
    text = masked(BINARY_UUID, text, uuid -> "\4\20" + known.number(hex(uuid.group())));
    return masked(HASH, text, any -> "?".repeat(any.group().length()));
  }

  private static String masked(Pattern pattern, String text, Function<MatchResult, String> mask) {
    return pattern.matcher(text).replaceAll(found -> mask.apply(found));
  }

  private static String hex(String uuid) {
    StringBuilder hex = new StringBuilder();
    for (int i = 2; i < uuid.length(); i++) {
      hex.append("%02x".formatted((int) uuid.charAt(i)));
    }
    return hex.toString();
  }

  /** Returns the password that a server has generated; null if there is none. */
  static byte @Nullable [] generatedPassword(byte[] message) {
    ASN1OctetString value = extendedValue(message);
    if (value == null || value.getValue().length != GENERATED_PASSWORD_BYTES + 4) {
      return null;
    }
    byte[] bytes = value.getValue();
    return (bytes[2] & 0xff) == 0x80 ? Arrays.copyOfRange(bytes, 4, bytes.length) : null;
  }

  /** Returns messages for people. */
  static String text(List<byte[]> messages) {
    StringBuilder text = new StringBuilder();
    for (byte[] each : messages.subList(0, Math.min(messages.size(), MOST_SHOWN))) {
      text.append("  ");
      for (char c : new String(each, UTF_8).toCharArray()) {
        text.append(c < ' ' || c == 0xfffd ? '.' : c);
      }
      text.append('\n');
    }
    return text.toString();
  }
}
