package org.nyala.core.schema.rule;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.Normalizer;

/**
 * The normal form of assertions about certificates: {@code { serialNumber 7, issuer
 * rdnSequence:"cn=ca" }} (RFC 4523, section 3.1) or {@code 7$cn=ca} (RFC 2252's draft of it, which
 * clients still write); or a whole certificate, for one that has its serial number and issuer.
 *
 * <p>Immutable.
 */
final class CertificateAssertion implements Normalizer {
  private static final char QUOTE = '"';
  private static final String SERIAL_NUMBER =
      "serialNumber +(?<serial>-?[0-9]+|0x[0-9a-f]+|'[0-9a-f]+'H)";

  /**
   * The quotes alone: the text between them is of any length, and parsed by hand. Slapd takes a
   * name without the word before it too.
   */
  private static final String ISSUER = "issuer +(?:rdnSequence *: *)?\"\"";

  private static final List<Pattern> WITHOUT_ISSUER =
      List.of(
          pattern(" *\\{ *" + SERIAL_NUMBER + " *, *" + ISSUER + " *\\} *"),
          pattern(" *\\{ *" + ISSUER + " *, *" + SERIAL_NUMBER + " *\\} *"));

  /** Digits of a serial number in hexadecimal: twice the octets of the longest one. */
  private static final int HEX_DIGITS_MAXIMUM = 256;

  private static final Pattern SHORT =
      Pattern.compile(" *(?<serial>-?[0-9]+) *\\$ *(?<issuer>.*)", Pattern.DOTALL);

  private static Pattern pattern(String regex) {
    return Pattern.compile(regex, Pattern.CASE_INSENSITIVE);
  }

  private final Normalizer certificate;
  private final Normalizer name;

  CertificateAssertion(Normalizer certificate, Normalizer name) {
    this.certificate = certificate;
    this.name = name;
  }

  @Override
  public boolean normalize(byte[] source, int offset, int length, ByteAppender target) {
    // Keeps every octet distinct: the name's rule decides which are UTF-8.
    String text = new String(source, offset, length, StandardCharsets.ISO_8859_1);
    Matcher matcher = SHORT.matcher(text);
    if (matcher.matches()) {
      return normalize(matcher.group("serial"), matcher.group("issuer"), target);
    }
    int open = text.indexOf(QUOTE);
    int close = text.lastIndexOf(QUOTE);
    if (open < close) {
      String around = text.substring(0, open + 1) + text.substring(close);
      for (Pattern pattern : WITHOUT_ISSUER) {
        matcher = pattern.matcher(around);
        if (matcher.matches()) {
          String issuer = unquoted(text.substring(open + 1, close));
          String serial = decimal(matcher.group("serial"));
          return issuer != null && serial != null && normalize(serial, issuer, target);
        }
      }
    }
    return certificate.normalize(source, offset, length, target);
  }

  /** A serial number as slapd takes it too, {@code 0x1f} or {@code '1F'H}; null for a huge one. */
  private static @Nullable String decimal(String serial) {
    boolean isQuoted = serial.charAt(0) == '\'';
    boolean isPrefixed = serial.length() > 2 && (serial.charAt(1) | 0x20) == 'x';
    if (!isQuoted && !isPrefixed) {
      return serial;
    }
    String digits = isQuoted ? serial.substring(1, serial.length() - 2) : serial.substring(2);
    return digits.length() > HEX_DIGITS_MAXIMUM ? null : new BigInteger(digits, 16).toString();
  }

  /** Each quote inside is doubled (RFC 3641, section 3.8); null if one is not. */
  private static @Nullable String unquoted(String quoted) {
    String rest = quoted.replace("\"\"", "");
    return rest.indexOf(QUOTE) < 0 ? quoted.replace("\"\"", "\"") : null;
  }

  private boolean normalize(String serialNumber, String issuer, ByteAppender target) {
    int start = target.length();
    byte[] digits = serialNumber.getBytes(StandardCharsets.ISO_8859_1);
    byte[] utf8 = issuer.getBytes(StandardCharsets.ISO_8859_1);
    if (IntegerNormalizer.INSTANCE.normalize(digits, 0, digits.length, target)
        && name.normalize(utf8, 0, utf8.length, target)) {
      return true;
    }
    target.truncate(start);
    return false;
  }
}
