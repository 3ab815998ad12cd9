package org.nyala.netty.tls;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.PSSParameterSpec;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The data that bind an exchange of SASL to the certificate with which the server has ended a TLS
 * connection (RFC 5929, section 4, {@code tls-server-end-point}).
 *
 * <p>Stateless.
 */
final class EndPointBinding {
  private static final byte[] NONE = {};
  private static final String USUAL = "SHA-256";

  private EndPointBinding() {}

  /**
   * Returns the data of a connection; empty if there are none for certificates of this kind, or if
   * it is not known which of several certificates the client has seen.
   */
  static byte[] of(List<TlsCertificate> certificates, SSLSession session) {
    X509Certificate leaf =
        certificates.size() == 1 ? certificates.getFirst().leaf() : used(certificates, session);
    return leaf == null ? NONE : of(leaf);
  }

  private static @Nullable X509Certificate used(
      List<TlsCertificate> certificates, SSLSession session) {
    Certificate[] local = session.getLocalCertificates();
    if (local == null || local.length == 0) {
      return null;
    }
    for (TlsCertificate each : certificates) {
      if (each.leaf().equals(local[0])) {
        return each.leaf();
      }
    }
    return null;
  }

  /** Returns the data of a certificate. */
  static byte[] of(X509Certificate leaf) {
    try {
      String digest = digest(leaf);
      return digest.isEmpty() ? NONE : MessageDigest.getInstance(digest).digest(leaf.getEncoded());
    } catch (GeneralSecurityException | IOException _) {
      return NONE;
    }
  }

  /** Returns the digest of the certificate's signature, but none weaker than SHA-256. */
  private static String digest(X509Certificate leaf) throws GeneralSecurityException, IOException {
    String algorithm = leaf.getSigAlgName().toUpperCase(Locale.ROOT);
    if (algorithm.contains("PSS")) {
      AlgorithmParameters parameters = AlgorithmParameters.getInstance("RSASSA-PSS");
      parameters.init(leaf.getSigAlgParams());
      PSSParameterSpec pss = parameters.getParameterSpec(PSSParameterSpec.class);
      return atLeastUsual(pss.getDigestAlgorithm());
    }
    int with = algorithm.indexOf("WITH");
    // Ed25519 and its like have no digest of their own.
    return with < 0 ? "" : atLeastUsual(algorithm.substring(0, with));
  }

  private static String atLeastUsual(String name) {
    return switch (name.replace("-", "").toUpperCase(Locale.ROOT)) {
      case "MD5", "SHA1", "SHA", "SHA256" -> USUAL;
      case "SHA384" -> "SHA-384";
      case "SHA512" -> "SHA-512";
      case "SHA224" -> "SHA-224";
      default -> "";
    };
  }
}
