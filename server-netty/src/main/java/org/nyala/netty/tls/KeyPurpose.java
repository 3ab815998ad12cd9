package org.nyala.netty.tls;

import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.PKIXCertPathChecker;
import java.security.cert.PKIXReason;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Checks that the certificates of a path may be used by clients: a certificate that names purposes
 * must name this one, and an authority restricted to others must not vouch for clients.
 *
 * <p>Stateless.
 */
final class KeyPurpose extends PKIXCertPathChecker {
  private static final String EXTENSION = "2.5.29.37";
  private static final List<String> FITTING = List.of("1.3.6.1.5.5.7.3.2", "2.5.29.37.0");

  @Override
  public void init(boolean isForward) throws CertPathValidatorException {
    if (isForward) {
      throw new CertPathValidatorException("paths are checked from their authority on");
    }
  }

  @Override
  public boolean isForwardCheckingSupported() {
    return false;
  }

  @Override
  public Set<String> getSupportedExtensions() {
    return Set.of(EXTENSION);
  }

  @Override
  public void check(Certificate certificate, Collection<String> unresolved)
      throws CertPathValidatorException {
    try {
      List<String> purposes = ((X509Certificate) certificate).getExtendedKeyUsage();
      if (purposes != null && purposes.stream().noneMatch(FITTING::contains)) {
        throw new CertPathValidatorException(
            "not for clients, by its extended key usage",
            null,
            null,
            -1,
            PKIXReason.INVALID_KEY_USAGE);
      }
    } catch (CertificateParsingException e) {
      throw new CertPathValidatorException(e);
    }
    unresolved.remove(EXTENSION);
  }
}
