package org.nyala.netty.tls;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.security.spec.PSSParameterSpec;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The digests of the signatures of certificates. Stateless. */
final class SignatureDigest {
  private SignatureDigest() {}

  /**
   * Returns the digest that a certificate was signed with, in capitals and without a hyphen, such
   * as {@code SHA256}; empty if the signature has none of its own, as Ed25519 has not.
   */
  static String of(X509Certificate certificate) {
    String algorithm = certificate.getSigAlgName().toUpperCase(Locale.ROOT);
    if (algorithm.equals("RSASSA-PSS")) {
      return plain(ofPss(certificate.getSigAlgParams()));
    }
    int with = algorithm.indexOf("WITH");
    return with < 0 ? "" : plain(algorithm.substring(0, with));
  }

  private static String plain(String name) {
    return name.toUpperCase(Locale.ROOT).replace("SHA-", "SHA");
  }

  private static String ofPss(byte @Nullable [] encoded) {
    try {
      AlgorithmParameters parameters = AlgorithmParameters.getInstance("RSASSA-PSS");
      parameters.init(encoded == null ? new byte[0] : encoded);
      return parameters.getParameterSpec(PSSParameterSpec.class).getDigestAlgorithm();
    } catch (GeneralSecurityException | IOException e) {
      // The default of the standard is SHA-1 (RFC 4055, section 3.1).
      return "SHA1";
    }
  }
}
