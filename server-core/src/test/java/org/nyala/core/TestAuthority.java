package org.nyala.core;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1GeneralizedTime;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.DERBitString;
import org.bouncycastle.asn1.DERIA5String;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.ocsp.BasicOCSPResponse;
import org.bouncycastle.asn1.ocsp.CertStatus;
import org.bouncycastle.asn1.ocsp.OCSPObjectIdentifiers;
import org.bouncycastle.asn1.ocsp.OCSPRequest;
import org.bouncycastle.asn1.ocsp.OCSPResponse;
import org.bouncycastle.asn1.ocsp.OCSPResponseStatus;
import org.bouncycastle.asn1.ocsp.Request;
import org.bouncycastle.asn1.ocsp.ResponderID;
import org.bouncycastle.asn1.ocsp.ResponseBytes;
import org.bouncycastle.asn1.ocsp.ResponseData;
import org.bouncycastle.asn1.ocsp.SingleResponse;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AccessDescription;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.AuthorityInformationAccess;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x509.Time;
import org.bouncycastle.asn1.x509.V2TBSCertListGenerator;
import org.bouncycastle.asn1.x509.V3TBSCertificateGenerator;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.jspecify.annotations.Nullable;

/**
 * An authority for one test, which issues certificates, also bad ones, and says what is revoked.
 * Thread-safe.
 *
 * @param chain its own certificate, then those that vouch for it
 * @param keys its keys, of P-256
 */
public record TestAuthority(List<X509Certificate> chain, KeyPair keys) {
  private static final AlgorithmIdentifier ALGORITHM =
      new AlgorithmIdentifier(X9ObjectIdentifiers.ecdsa_with_SHA256);
  private static final AlgorithmIdentifier WEAK =
      new AlgorithmIdentifier(X9ObjectIdentifiers.ecdsa_with_SHA1);
  private static final @Nullable Extensions NONE = null;
  private static final AtomicLong SERIAL = new AtomicLong(1000);
  private static final long DAY_SECONDS = 86_400;

  /** A certificate, those that vouch for it, and its keys. */
  public record Issued(List<X509Certificate> chain, KeyPair keys) {
    /** The certificate itself. */
    public X509Certificate certificate() {
      return chain.getFirst();
    }

    /** Returns the certificate, the others and the key, in PEM. */
    public String pem() throws GeneralSecurityException, IOException {
      StringBuilder text = new StringBuilder();
      for (X509Certificate each : chain) {
        text.append(TestCertificates.pemOf("CERTIFICATE", each.getEncoded()));
      }
      return text + TestCertificates.pemOf("PRIVATE KEY", key());
    }

    /** Encodes the key with its public part: GnuTLS refuses keys without, as the JDK has them. */
    private byte[] key() throws IOException {
      if (keys.getPublic().getAlgorithm().equals("RSA")) {
        return keys.getPrivate().getEncoded();
      }
      SubjectPublicKeyInfo shared = SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded());
      BigInteger secret = ((ECPrivateKey) keys.getPrivate()).getS();
      return new PrivateKeyInfo(
              shared.getAlgorithm(),
              new org.bouncycastle.asn1.sec.ECPrivateKey(
                  256, secret, shared.getPublicKeyData(), null))
          .getEncoded();
    }
  }

  /**
   * The content of a certificate. Immutable.
   *
   * @param subject its name
   * @param begin the time from which it is valid
   * @param end the time until which it is valid
   * @param isAuthority true if it may issue others
   * @param purpose what it is for; null for everything
   * @param responder the address of an OCSP responder; null for none
   * @param further another extension; null for none
   * @param digest the digest of its signature, such as SHA256
   */
  public record Content(
      String subject,
      Instant begin,
      Instant end,
      boolean isAuthority,
      @Nullable KeyPurposeId purpose,
      @Nullable String responder,
      @Nullable Extension further,
      String digest) {
    /** Returns the content of a client's certificate that is valid for a day. */
    public static Content client(String subject) {
      Instant now = Instant.now();
      return new Content(
          subject,
          now.minusSeconds(DAY_SECONDS),
          now.plusSeconds(DAY_SECONDS),
          false,
          KeyPurposeId.id_kp_clientAuth,
          null,
          null,
          "SHA256");
    }

    /** Returns the content of the certificate of a server at 127.0.0.1. */
    public static Content server(String subject) throws IOException {
      GeneralNames names = new GeneralNames(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
      return client(subject)
          .purpose(KeyPurposeId.id_kp_serverAuth)
          .with(Extension.create(Extension.subjectAlternativeName, false, names));
    }

    /** Returns the content of an authority's certificate. */
    public static Content authority(String subject) {
      Content client = client(subject);
      return new Content(subject, client.begin, client.end, true, null, null, null, "SHA256");
    }

    /** Returns the same for another time. */
    public Content valid(Instant from, Instant until) {
      return new Content(subject, from, until, isAuthority, purpose, responder, further, digest);
    }

    /** Returns the same for another purpose. */
    public Content purpose(@Nullable KeyPurposeId other) {
      return new Content(subject, begin, end, isAuthority, other, responder, further, digest);
    }

    /** Returns the same with a responder. */
    public Content responder(String address) {
      return new Content(subject, begin, end, isAuthority, purpose, address, further, digest);
    }

    /** Returns the same with bytes that mean nothing. */
    public Content padding(int bytes) {
      return with(
          new Extension(
              Extension.noRevAvail.branch("99"), false, new DEROctetString(new byte[bytes])));
    }

    /** Returns the same with an extension. */
    public Content with(Extension other) {
      return new Content(subject, begin, end, isAuthority, purpose, responder, other, digest);
    }

    /** Returns the same with a signature by another digest, SHA1 or SHA256. */
    public Content digest(String other) {
      return new Content(subject, begin, end, isAuthority, purpose, responder, further, other);
    }
  }

  /** Makes an authority that vouches for itself. */
  public static TestAuthority root(String name) throws GeneralSecurityException, IOException {
    KeyPair keys = newKeys();
    X509Certificate own = sign(Content.authority(name), keys, new X500Name(name), keys);
    return new TestAuthority(List.of(own), keys);
  }

  /** Makes an authority below this one. */
  public TestAuthority below(Content content) throws GeneralSecurityException, IOException {
    Issued issued = issue(content);
    return new TestAuthority(issued.chain, issued.keys);
  }

  /** Its own certificate. */
  public X509Certificate certificate() {
    return chain.getFirst();
  }

  /** Returns its own certificate in PEM. */
  public String pem() throws GeneralSecurityException {
    return TestCertificates.pemOf("CERTIFICATE", certificate().getEncoded());
  }

  private X500Name name() {
    return X500Name.getInstance(certificate().getSubjectX500Principal().getEncoded());
  }

  private static KeyPair newKeys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  /** Makes the same authority with a certificate of another time. */
  public TestAuthority renewed(Instant from, Instant until)
      throws GeneralSecurityException, IOException {
    Content content = Content.authority(name().toString()).valid(from, until);
    return new TestAuthority(List.of(sign(content, keys, name(), keys)), keys);
  }

  /** Issues a certificate; the chain that it returns has no root. */
  public Issued issue(Content content) throws GeneralSecurityException, IOException {
    return issue(content, newKeys());
  }

  /** Issues a certificate for keys. */
  public Issued issue(Content content, KeyPair own) throws GeneralSecurityException, IOException {
    List<X509Certificate> above =
        chain.stream()
            .filter(each -> !each.getIssuerX500Principal().equals(each.getSubjectX500Principal()))
            .toList();
    X509Certificate issued = sign(content, own, name(), keys);
    return new Issued(Stream.concat(Stream.of(issued), above.stream()).toList(), own);
  }

  private static X509Certificate sign(Content content, KeyPair own, X500Name issuer, KeyPair signer)
      throws GeneralSecurityException, IOException {
    V3TBSCertificateGenerator tbs = new V3TBSCertificateGenerator();
    tbs.setSerialNumber(new ASN1Integer(BigInteger.valueOf(SERIAL.incrementAndGet())));
    AlgorithmIdentifier algorithm = content.digest.equals("SHA1") ? WEAK : ALGORITHM;
    tbs.setSignature(algorithm);
    tbs.setIssuer(issuer);
    tbs.setSubject(new X500Name(content.subject));
    tbs.setStartDate(new Time(Date.from(content.begin)));
    tbs.setEndDate(new Time(Date.from(content.end)));
    tbs.setSubjectPublicKeyInfo(SubjectPublicKeyInfo.getInstance(own.getPublic().getEncoded()));
    ExtensionsGenerator extensions = new ExtensionsGenerator();
    extensions.addExtension(
        Extension.basicConstraints, true, new BasicConstraints(content.isAuthority));
    extensions.addExtension(
        Extension.keyUsage,
        true,
        new KeyUsage(
            content.isAuthority
                ? KeyUsage.keyCertSign | KeyUsage.cRLSign
                : KeyUsage.digitalSignature));
    if (content.purpose != null) {
      extensions.addExtension(
          Extension.extendedKeyUsage, true, new ExtendedKeyUsage(content.purpose));
    }
    if (content.responder != null) {
      GeneralName address =
          new GeneralName(
              GeneralName.uniformResourceIdentifier, new DERIA5String(content.responder));
      extensions.addExtension(
          Extension.authorityInfoAccess,
          false,
          new AuthorityInformationAccess(AccessDescription.id_ad_ocsp, address));
    }
    if (content.further != null) {
      extensions.addExtension(content.further);
    }
    tbs.setExtensions(extensions.generate());
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(
                new ByteArrayInputStream(
                    signed(tbs.generateTBSCertificate(), signer, algorithm).getEncoded()));
  }

  private static DERSequence signed(
      ASN1Encodable content, KeyPair signer, AlgorithmIdentifier algorithm)
      throws GeneralSecurityException, IOException {
    byte[] signature = signature(content, signer, algorithm);
    return new DERSequence(new ASN1Encodable[] {content, algorithm, new DERBitString(signature)});
  }

  private static byte[] signature(
      ASN1Encodable content, KeyPair signer, AlgorithmIdentifier algorithm)
      throws GeneralSecurityException, IOException {
    Signature signature =
        Signature.getInstance(algorithm.equals(WEAK) ? "SHA1withECDSA" : "SHA256withECDSA");
    signature.initSign(signer.getPrivate());
    signature.update(content.toASN1Primitive().getEncoded());
    return signature.sign();
  }

  /** Returns a revocation list in PEM. */
  public String list(Instant next, X509Certificate... revoked)
      throws GeneralSecurityException, IOException {
    return list(next, NONE, revoked);
  }

  /**
   * Returns a revocation list in PEM.
   *
   * @param next the time of the next one; null for none
   */
  public String list(
      @Nullable Instant next, @Nullable Extensions extensions, X509Certificate... revoked)
      throws GeneralSecurityException, IOException {
    Instant now = Instant.now();
    V2TBSCertListGenerator list = new V2TBSCertListGenerator();
    list.setSignature(ALGORITHM);
    list.setIssuer(name());
    list.setThisUpdate(new Time(Date.from(now.minusSeconds(2 * DAY_SECONDS))));
    if (next != null) {
      list.setNextUpdate(new Time(Date.from(next)));
    }
    if (extensions != null) {
      list.setExtensions(extensions);
    }
    for (X509Certificate each : revoked) {
      list.addCRLEntry(
          new ASN1Integer(each.getSerialNumber()),
          new Time(Date.from(now.minusSeconds(DAY_SECONDS / 2))),
          CRLReason.keyCompromise);
    }
    return TestCertificates.pemOf(
        "X509 CRL", signed(list.generateTBSCertList(), keys, ALGORITHM).getEncoded());
  }

  /** Returns the answer to a request of OCSP about one certificate, as a responder of it. */
  public byte[] answer(byte[] request, CertStatus status)
      throws GeneralSecurityException, IOException {
    Request asked =
        Request.getInstance(
            OCSPRequest.getInstance(request).getTbsRequest().getRequestList().getObjectAt(0));
    ASN1GeneralizedTime now = new ASN1GeneralizedTime(Date.from(Instant.now()));
    ResponseData data =
        new ResponseData(
            new ResponderID(name()),
            now,
            new DERSequence(new SingleResponse(asked.getReqCert(), status, now, null, NONE)),
            NONE);
    BasicOCSPResponse basic =
        new BasicOCSPResponse(
            data, ALGORITHM, new DERBitString(signature(data, keys, ALGORITHM)), null);
    return new OCSPResponse(
            new OCSPResponseStatus(OCSPResponseStatus.SUCCESSFUL),
            new ResponseBytes(
                OCSPObjectIdentifiers.id_pkix_ocsp_basic, new DEROctetString(basic.getEncoded())))
        .getEncoded();
  }
}
