package org.nyala.netty.tls;

import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The certificates from a client's to the one that an authority has issued.
 *
 * <p>Immutable.
 *
 * @param certificates the client's, then its issuer's, and so on, without the authority's
 * @param authority the trusted certificate that has issued the last of them
 */
record TrustedPath(List<X509Certificate> certificates, X509Certificate authority) {
  TrustedPath {
    certificates = List.copyOf(certificates);
  }

  /** Returns all of them, the authority's last. */
  List<X509Certificate> whole() {
    List<X509Certificate> all = new ArrayList<>(certificates);
    if (!certificates.contains(authority)) {
      all.add(authority);
    }
    return all;
  }

  X509Certificate issuerOf(int index) {
    return index + 1 < certificates.size() ? certificates.get(index + 1) : authority;
  }

  /**
   * Checks bounds, then signatures, dates, constraints and purposes (RFC 5280, section 6). An
   * authority that has issued its own certificate is part of the path, so that its dates and
   * constraints count.
   *
   * @throws java.security.cert.CertPathValidatorException if any does not hold
   */
  void validate() throws GeneralSecurityException {
    PathBounds.check(this);
    boolean isRoot = authority.getIssuerX500Principal().equals(authority.getSubjectX500Principal());
    if (!isRoot) {
      authority.checkValidity();
    }
    validate(isRoot ? whole() : certificates, parameters(authority));
  }

  /** Returns the parameters for paths to an issuer, without revocation. */
  static PKIXParameters parameters(X509Certificate issuer) throws GeneralSecurityException {
    PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(issuer, null)));
    parameters.setRevocationEnabled(false);
    parameters.addCertPathChecker(new KeyPurpose());
    return parameters;
  }

  /**
   * Validates a path that has been found already: within {@link PathBounds}, in time that grows
   * with its length only.
   */
  static void validate(List<X509Certificate> path, PKIXParameters parameters)
      throws GeneralSecurityException {
    Object _ =
        CertPathValidator.getInstance("PKIX")
            .validate(CertificateFactory.getInstance("X.509").generateCertPath(path), parameters);
  }
}
