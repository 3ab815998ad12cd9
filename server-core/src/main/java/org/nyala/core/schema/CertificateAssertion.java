package org.nyala.core.schema;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The normal form of what a certificate is asked to be: {@code { serialNumber 7, issuer
 * rdnSequence:"cn=ca" }} (RFC 4523, section 3.1) or {@code 7$cn=ca} (RFC 2252's draft of it, which
 * clients still write); or a whole certificate, for one that has its serial number and issuer.
 *
 * <p>Immutable.
 */
final class CertificateAssertion implements Normalizer {
  private static final String SERIAL_NUMBER = "serialNumber +(?<serial>-?[0-9]+)";
  private static final String ISSUER = "issuer +rdnSequence *: *\"(?<issuer>(?:[^\"]|\"\")*+)\"";
  private static final Pattern SERIAL_FIRST =
      Pattern.compile(" *\\{ *" + SERIAL_NUMBER + " *, *" + ISSUER + " *\\} *", Pattern.DOTALL);
  private static final Pattern ISSUER_FIRST =
      Pattern.compile(" *\\{ *" + ISSUER + " *, *" + SERIAL_NUMBER + " *\\} *", Pattern.DOTALL);
  private static final Pattern SHORT =
      Pattern.compile(" *(?<serial>-?[0-9]+) *\\$ *(?<issuer>.*)", Pattern.DOTALL);

  private final Normalizer certificate;
  private final Normalizer name;

  CertificateAssertion(Normalizer certificate, Normalizer name) {
    this.certificate = certificate;
    this.name = name;
  }

  @Override
  public boolean normalize(byte[] source, int offset, int length, ByteAppender target) {
    // Keeps every octet apart: what is UTF-8 is told from what is not by the name's rule.
    String text = new String(source, offset, length, StandardCharsets.ISO_8859_1);
    Matcher matcher = SHORT.matcher(text);
    if (matcher.matches()) {
      return normalize(matcher.group("serial"), matcher.group("issuer"), target);
    }
    for (Pattern pattern : new Pattern[] {SERIAL_FIRST, ISSUER_FIRST}) {
      matcher = pattern.matcher(text);
      if (matcher.matches()) {
        String issuer = matcher.group("issuer").replace("\"\"", "\"");
        return normalize(matcher.group("serial"), issuer, target);
      }
    }
    return certificate.normalize(source, offset, length, target);
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
