package org.nyala.netty.tls;

import java.io.IOException;
import java.math.BigInteger;
import java.net.IDN;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.DERBitString;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x509.TBSCertificate;
import org.bouncycastle.asn1.x509.Time;
import org.bouncycastle.asn1.x509.V3TBSCertificateGenerator;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;

/**
 * A certificate that nobody vouches for but its own key, with that key: for a first try, and for
 * clients that are given the certificate itself.
 *
 * <p>Stateless.
 */
public final class SelfSigned {
  private static final String CURVE = "secp256r1";
  private static final int CURVE_BITS = 256;
  private static final int SERIAL_BITS = 127;
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");

  /** The most bytes of a common name (RFC 5280, appendix A.1). */
  private static final int COMMON_NAME_MAXIMUM = 64;

  private static final Base64.Encoder LINES =
      Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

  private SelfSigned() {}

  /**
   * A certificate and its key in PEM. Immutable.
   *
   * @param certificate for everybody
   * @param key for the server alone
   */
  public record Pem(String certificate, String key) {
    /** Shows nothing of the key. */
    @Override
    public String toString() {
      return certificate;
    }
  }

  /**
   * Makes a certificate with a P-256 key.
   *
   * @param names the names that it is for, at least one, as {@link #hostName} returns them
   * @param days the time for which it is valid, from now on
   * @return the certificate and its key
   */
  public static Pem make(List<String> names, int days, Instant now, SecureRandom random) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec(CURVE), random);
      KeyPair pair = generator.generateKeyPair();
      AlgorithmIdentifier algorithm =
          new AlgorithmIdentifier(X9ObjectIdentifiers.ecdsa_with_SHA256);
      TBSCertificate content = content(names, days, now, pair, algorithm, random);
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(pair.getPrivate(), random);
      signature.update(content.getEncoded());
      byte[] certificate =
          new DERSequence(
                  new ASN1Encodable[] {content, algorithm, new DERBitString(signature.sign())})
              .getEncoded();
      return new Pem(pem("CERTIFICATE", certificate), pem("PRIVATE KEY", key(pair)));
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("a certificate cannot be made", e);
    }
  }

  /** Encodes a key with its public part: GnuTLS refuses keys without, as the JDK encodes them. */
  private static byte[] key(KeyPair pair) throws IOException {
    SubjectPublicKeyInfo shared = SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded());
    org.bouncycastle.asn1.sec.ECPrivateKey key =
        new org.bouncycastle.asn1.sec.ECPrivateKey(
            CURVE_BITS, ((ECPrivateKey) pair.getPrivate()).getS(), shared.getPublicKeyData(), null);
    return new PrivateKeyInfo(shared.getAlgorithm(), key).getEncoded();
  }

  private static TBSCertificate content(
      List<String> names,
      int days,
      Instant now,
      KeyPair pair,
      AlgorithmIdentifier algorithm,
      SecureRandom random)
      throws IOException {
    V3TBSCertificateGenerator content = new V3TBSCertificateGenerator();
    content.setSerialNumber(new ASN1Integer(new BigInteger(SERIAL_BITS, random).setBit(0)));
    content.setSignature(algorithm);
    String first = names.getFirst();
    X500NameBuilder subject = new X500NameBuilder(BCStyle.INSTANCE);
    subject.addRDN(BCStyle.CN, first.length() > COMMON_NAME_MAXIMUM ? "nyala" : first);
    content.setIssuer(subject.build());
    content.setSubject(subject.build());
    content.setStartDate(new Time(Date.from(now.minus(1, ChronoUnit.HOURS))));
    content.setEndDate(new Time(Date.from(now.plus(days, ChronoUnit.DAYS))));
    content.setSubjectPublicKeyInfo(
        SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded()));
    ExtensionsGenerator extensions = new ExtensionsGenerator();
    GeneralName[] alternatives =
        names.stream().map(SelfSigned::generalName).toArray(GeneralName[]::new);
    extensions.addExtension(
        Extension.subjectAlternativeName, false, new GeneralNames(alternatives));
    extensions.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
    extensions.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
    extensions.addExtension(
        Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
    content.setExtensions(extensions.generate());
    return content.generateTBSCertificate();
  }

  /**
   * Reads a host name or an address.
   *
   * @return the name as certificates have it
   * @throws IllegalArgumentException if it is neither
   */
  public static String hostName(String name) {
    try {
      return ADDRESS.matcher(name).matches()
          ? InetAddress.ofLiteral(name).getHostAddress()
          : IDN.toASCII(requireText(name), IDN.USE_STD3_ASCII_RULES);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("no host name and no address: '" + name + "'", e);
    }
  }

  private static String requireText(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("empty");
    }
    return name;
  }

  private static GeneralName generalName(String name) {
    boolean isAddress = ADDRESS.matcher(name).matches();
    return new GeneralName(isAddress ? GeneralName.iPAddress : GeneralName.dNSName, name);
  }

  private static String pem(String label, byte[] content) {
    return String.format(
        Locale.ROOT,
        "-----BEGIN %s-----\n%s\n-----END %s-----\n",
        label,
        LINES.encodeToString(content),
        label);
  }
}
