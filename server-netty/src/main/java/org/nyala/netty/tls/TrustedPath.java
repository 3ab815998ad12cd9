package org.nyala.netty.tls;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.PKIXCertPathChecker;
import java.security.cert.PKIXParameters;
import java.security.cert.PKIXReason;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.security.interfaces.DSAKey;
import java.security.interfaces.RSAKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.x509.CertificatePolicies;
import org.bouncycastle.asn1.x509.PolicyInformation;

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

  /**
   * Checks that the certificates of a path may be used by clients: a certificate that names
   * purposes must name this one, and an authority restricted to others must not vouch for clients.
   *
   * <p>Stateless.
   */
  private static final class KeyPurpose extends PKIXCertPathChecker {
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

  /**
   * The bounds of what is validated: policies, of which the validator of the JDK makes a tree that
   * may grow exponentially, and the strength of keys and signatures, which it knows for servers
   * only. Stateless.
   */
  private static final class PathBounds {
    /** The most policies of an authority. */
    static final int MOST_POLICIES = 8;

    /** The most policies of a client's certificate, below which the tree does not grow. */
    private static final int MOST_POLICIES_OF_CLIENT = 32;

    private static final String POLICIES = "2.5.29.32";
    private static final String MAPPINGS = "2.5.29.33";
    private static final int LEAST_BITS = 2048;

    /** The digests for which other content of the same signature can be found, or soon will be. */
    private static final List<String> WEAK = List.of("MD2", "MD5", "SHA1");

    private PathBounds() {}

    /**
     * Checks the certificates of a path, and the key of the authority; not what the administrator
     * trusts by itself: its signature and its policies.
     *
     * @throws RefusedCertificateException if one is beyond
     */
    static void check(TrustedPath path) throws RefusedCertificateException {
      List<X509Certificate> all = path.whole();
      for (int i = 0; i < all.size(); i++) {
        String fault = key(all.get(i).getPublicKey());
        if (fault.isEmpty() && !all.get(i).equals(path.authority())) {
          fault = signature(all.get(i));
        }
        if (fault.isEmpty() && !all.get(i).equals(path.authority())) {
          fault = policies(all.get(i), i == 0 ? MOST_POLICIES_OF_CLIENT : MOST_POLICIES);
        }
        if (!fault.isEmpty()) {
          throw RefusedCertificateException.of(all, i, fault, null);
        }
      }
    }

    /** Returns what is wrong with a key, as a predicate; empty for nothing. */
    private static String key(Key key) {
      int bits =
          switch (key) {
            case RSAKey rsa -> rsa.getModulus().bitLength();
            case DSAKey dsa when dsa.getParams() != null -> dsa.getParams().getP().bitLength();
            default -> LEAST_BITS;
          };
      return bits < LEAST_BITS
          ? String.format(Locale.ROOT, "has a key of %d bits, fewer than %d", bits, LEAST_BITS)
          : "";
    }

    private static String signature(X509Certificate certificate) {
      return WEAK.contains(SignatureDigest.of(certificate))
          ? "has a weak signature: " + certificate.getSigAlgName()
          : "";
    }

    private static String policies(X509Certificate certificate, int most) {
      if (certificate.getExtensionValue(MAPPINGS) != null) {
        return "maps policies";
      }
      byte[] extension = certificate.getExtensionValue(POLICIES);
      if (extension == null) {
        return "";
      }
      byte[] content = ASN1OctetString.getInstance(extension).getOctets();
      PolicyInformation[] policies =
          CertificatePolicies.getInstance(content).getPolicyInformation();
      Set<String> distinct = new HashSet<>();
      for (PolicyInformation each : policies) {
        if (!distinct.add(each.getPolicyIdentifier().getId())) {
          return "names a policy twice";
        }
      }
      return policies.length > most ? "names more than " + most + " policies" : "";
    }
  }
}
