package org.nyala.core.certificate;

import java.io.IOException;
import java.math.BigInteger;
import java.net.IDN;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
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
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x509.TBSCertificate;
import org.bouncycastle.asn1.x509.Time;
import org.bouncycastle.asn1.x509.V3TBSCertificateGenerator;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteDigest;

/**
 * Certificates with P-256 keys, each with its key: one that nobody vouches for, for a first try,
 * and those of an authority for servers that trust one another.
 *
 * <p>Stateless.
 */
public final class CertificateMaker {
  private static final String CURVE = "secp256r1";
  private static final int CURVE_BITS = 256;
  private static final int SERIAL_BITS = 127;
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");
  private static final AlgorithmIdentifier ALGORITHM =
      new AlgorithmIdentifier(X9ObjectIdentifiers.ecdsa_with_SHA256);

  /** The most bytes of a common name (RFC 5280, appendix A.1). */
  private static final int COMMON_NAME_MAXIMUM = 64;

  private static final Base64.Encoder LINES =
      Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

  private final Instant from;
  private final Instant until;
  private final SecureRandom random;
  private final KeyPair pair;

  private CertificateMaker(int days, Instant now, SecureRandom random)
      throws GeneralSecurityException {
    this.from = now.minus(1, ChronoUnit.HOURS);
    this.until = now.plus(days, ChronoUnit.DAYS);
    this.random = random;
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec(CURVE), random);
    this.pair = generator.generateKeyPair();
  }

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
   * An authority that vouches for others. Immutable.
   *
   * @param certificate its certificate, of a key for ECDSA
   * @param key its private key
   */
  public record Authority(X509Certificate certificate, PrivateKey key) {}

  /**
   * Makes the certificate of a server that nobody vouches for but its own key.
   *
   * @param names the names that it is for, at least one, as {@link #hostName} returns them
   * @param days the time for which it is valid, from now on
   */
  public static Pem selfSigned(List<String> names, int days, Instant now, SecureRandom random) {
    try {
      CertificateMaker maker = new CertificateMaker(days, now, random);
      ExtensionsGenerator extensions = new ExtensionsGenerator();
      ofHost(extensions, names, KeyPurposeId.id_kp_serverAuth);
      return maker.make(named(names.getFirst()), extensions, null);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("a certificate cannot be made", e);
    }
  }

  /**
   * Makes the certificate of an authority, which vouches for no further one.
   *
   * @param name its common name
   * @param days as above
   */
  public static Pem authority(String name, int days, Instant now, SecureRandom random) {
    try {
      CertificateMaker maker = new CertificateMaker(days, now, random);
      ExtensionsGenerator extensions = new ExtensionsGenerator();
      extensions.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
      extensions.addExtension(
          Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
      extensions.addExtension(
          Extension.subjectKeyIdentifier,
          false,
          new SubjectKeyIdentifier(identifier(maker.pair.getPublic().getEncoded())));
      return maker.make(named(name), extensions, null);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("the certificate of an authority cannot be made", e);
    }
  }

  /**
   * Makes the certificate of a server that also is a client of servers of its kind.
   *
   * @param by the authority that vouches for it
   * @param names as above
   * @param days as above; the authority must be valid for as long
   */
  public static Pem issued(
      Authority by, List<String> names, int days, Instant now, SecureRandom random) {
    try {
      CertificateMaker maker = new CertificateMaker(days, now, random);
      ExtensionsGenerator extensions = new ExtensionsGenerator();
      ofHost(extensions, names, KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth);
      extensions.addExtension(
          Extension.authorityKeyIdentifier,
          false,
          new AuthorityKeyIdentifier(identifier(by.certificate().getPublicKey().getEncoded())));
      return maker.make(named(names.getFirst()), extensions, by);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("a certificate cannot be issued", e);
    }
  }

  private static X500Name named(String name) {
    X500NameBuilder subject = new X500NameBuilder(BCStyle.INSTANCE);
    subject.addRDN(BCStyle.CN, name.length() > COMMON_NAME_MAXIMUM ? "nyala" : name);
    return subject.build();
  }

  private static void ofHost(
      ExtensionsGenerator extensions, List<String> names, KeyPurposeId... purposes)
      throws IOException {
    GeneralName[] alternatives =
        names.stream().map(CertificateMaker::generalName).toArray(GeneralName[]::new);
    extensions.addExtension(
        Extension.subjectAlternativeName, false, new GeneralNames(alternatives));
    extensions.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
    extensions.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
    extensions.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purposes));
  }

  /** Returns the identifier of a key (RFC 7093, section 2, method 1). */
  private static byte[] identifier(byte[] key) {
    byte[] bits = SubjectPublicKeyInfo.getInstance(key).getPublicKeyData().getBytes();
    return Arrays.copyOf(ByteDigest.of("SHA-256").digest(bits), 20);
  }

  private Pem make(X500Name subject, ExtensionsGenerator extensions, @Nullable Authority by)
      throws GeneralSecurityException, IOException {
    V3TBSCertificateGenerator content = new V3TBSCertificateGenerator();
    content.setSerialNumber(new ASN1Integer(new BigInteger(SERIAL_BITS, random).setBit(0)));
    content.setSignature(ALGORITHM);
    content.setIssuer(
        by == null
            ? subject
            : X500Name.getInstance(by.certificate().getSubjectX500Principal().getEncoded()));
    content.setSubject(subject);
    content.setStartDate(new Time(Date.from(from)));
    content.setEndDate(new Time(Date.from(until)));
    content.setSubjectPublicKeyInfo(
        SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded()));
    content.setExtensions(extensions.generate());
    TBSCertificate made = content.generateTBSCertificate();
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(by == null ? pair.getPrivate() : by.key(), random);
    signature.update(made.getEncoded());
    byte[] certificate =
        new DERSequence(new ASN1Encodable[] {made, ALGORITHM, new DERBitString(signature.sign())})
            .getEncoded();
    return new Pem(pem("CERTIFICATE", certificate), pem("PRIVATE KEY", encodedKey()));
  }

  /** Encodes the key with its public part: GnuTLS refuses keys without, as the JDK has them. */
  private byte[] encodedKey() throws IOException {
    SubjectPublicKeyInfo shared = SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded());
    org.bouncycastle.asn1.sec.ECPrivateKey key =
        new org.bouncycastle.asn1.sec.ECPrivateKey(
            CURVE_BITS, ((ECPrivateKey) pair.getPrivate()).getS(), shared.getPublicKeyData(), null);
    return new PrivateKeyInfo(shared.getAlgorithm(), key).getEncoded();
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
