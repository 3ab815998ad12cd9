package org.nyala.core.schema.rule;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.Schema;

/**
 * The normal form of certificates: serial number and issuer, which identify certificates (RFC 4523,
 * section 2.1; X.509, section 11.3.1). Nothing else of a certificate is examined but its outline:
 * signature, validity and extensions are for its users to judge. Bytes behind the certificate,
 * which files often have, are kept and count for nothing, as in slapd.
 *
 * <p>Thread-safe: all that it keeps between calls follows from the schema.
 */
final class CertificateNormalizer implements Normalizer {
  private static final int VERSION_TAG = 0xa0;
  private static final int BIT_STRING = 0x03;

  /**
   * Octets of a serial number. RFC 5280, section 4.1.2.2, allows authorities 20; turning very large
   * ones into decimal digits would take long.
   */
  private static final int SERIAL_NUMBER_LENGTH_MAXIMUM = 128;

  private static final Pattern KEYWORD = Pattern.compile("[A-Za-z][A-Za-z0-9]*");

  /**
   * The prefix of an issuer that the schema cannot compare, at the place of a name's normal form.
   */
  private static final int AS_ENCODED = 0xff;

  private final Supplier<Schema> schema;
  private final Normalizer name;
  private volatile @Nullable Map<String, String> keywords;

  /** Creates a normaliser that compares issuers by the one schema that it gets when it is used. */
  CertificateNormalizer(Supplier<Schema> schema, Normalizer name) {
    this.schema = schema;
    this.name = name;
  }

  /** The fields that identify a certificate. */
  private record Identity(BigInteger serialNumber, byte[] issuer) {}

  /** Returns whether a value has the outline of a certificate. */
  static boolean isCertificate(byte[] source, int offset, int length) {
    try {
      read(source, offset, length);
      return true;
    } catch (InvalidBerException e) {
      return false;
    }
  }

  private static Identity read(byte[] source, int offset, int length) throws InvalidBerException {
    BerReader whole = BerReader.trusted(Arrays.copyOfRange(source, offset, offset + length));
    BerReader certificate = whole.sequence();
    Identity identity = readSigned(certificate.sequence());
    certificate.sequence();
    certificate.octets(BIT_STRING);
    certificate.requireEnd();
    return identity;
  }

  /*
   * TBSCertificate, up to the subject's key; further fields are optional (RFC 5280, section 4.1).
   */
  private static Identity readSigned(BerReader signed) throws InvalidBerException {
    if (signed.nextTag() == VERSION_TAG) {
      signed.skip(VERSION_TAG);
    }
    byte[] serialNumber = signed.octets(BerReader.INTEGER);
    if (serialNumber.length == 0 || serialNumber.length > SERIAL_NUMBER_LENGTH_MAXIMUM) {
      throw new InvalidBerException("serial number of " + serialNumber.length + " octets");
    }
    signed.sequence();
    byte[] issuer = sequenceElement(signed);
    signed.sequence();
    signed.sequence();
    signed.sequence();
    return new Identity(new BigInteger(serialNumber), issuer);
  }

  private static byte[] sequenceElement(BerReader reader) throws InvalidBerException {
    if (reader.nextTag() != BerReader.SEQUENCE) {
      throw new InvalidBerException("a name is a sequence");
    }
    return reader.element();
  }

  @Override
  public boolean normalize(byte[] source, int offset, int length, ByteAppender target) {
    Identity identity;
    try {
      identity = read(source, offset, length);
    } catch (InvalidBerException e) {
      return false;
    }
    byte[] serialNumber = identity.serialNumber().toString().getBytes(StandardCharsets.US_ASCII);
    IntegerNormalizer.INSTANCE.normalize(serialNumber, 0, serialNumber.length, target);
    if (!appendName(identity.issuer(), target)) {
      target.append(AS_ENCODED).append(identity.issuer());
    }
    return true;
  }

  private boolean appendName(byte[] issuer, ByteAppender target) {
    try {
      String text = new X500Principal(issuer).getName(X500Principal.RFC2253, keywords());
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      return name.normalize(utf8, 0, utf8.length, target);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /* The value of a type without keyword would be written in hexadecimal BER. The JDK takes no hyphens. */
  private Map<String, String> keywords() {
    Map<String, String> known = keywords;
    if (known == null) {
      known = keywords(schema.get());
      keywords = known;
    }
    return known;
  }

  private static Map<String, String> keywords(Schema schema) {
    Map<String, String> keywords = new HashMap<>();
    for (AttributeType type : schema.attributeTypes()) {
      for (String name : type.names()) {
        if (KEYWORD.matcher(name).matches()) {
          keywords.putIfAbsent(type.oid(), name);
        }
      }
    }
    return Map.copyOf(keywords);
  }
}
