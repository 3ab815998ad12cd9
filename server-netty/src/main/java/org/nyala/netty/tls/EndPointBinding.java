package org.nyala.netty.tls;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
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

  /** Returns the data of a certificate: its digest with that of its signature, or a better one. */
  static byte[] of(X509Certificate leaf) {
    String digest =
        switch (SignatureDigest.of(leaf)) {
          case "MD5", "SHA1", "SHA256" -> "SHA-256";
          case "SHA224" -> "SHA-224";
          case "SHA384" -> "SHA-384";
          case "SHA512" -> "SHA-512";
          default -> "";
        };
    try {
      return digest.isEmpty() ? NONE : MessageDigest.getInstance(digest).digest(leaf.getEncoded());
    } catch (GeneralSecurityException _) {
      return NONE;
    }
  }
}
