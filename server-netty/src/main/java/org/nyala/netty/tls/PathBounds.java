package org.nyala.netty.tls;

import java.security.Key;
import java.security.cert.X509Certificate;
import java.security.interfaces.DSAKey;
import java.security.interfaces.RSAKey;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.x509.CertificatePolicies;
import org.bouncycastle.asn1.x509.PolicyInformation;

/**
 * The bounds of what is validated: policies, of which the validator of the JDK makes a tree that
 * may grow exponentially, and the strength of keys and signatures, which it knows for servers only.
 * Stateless.
 */
final class PathBounds {
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
    PolicyInformation[] policies = CertificatePolicies.getInstance(content).getPolicyInformation();
    Set<String> distinct = new HashSet<>();
    for (PolicyInformation each : policies) {
      if (!distinct.add(each.getPolicyIdentifier().getId())) {
        return "names a policy twice";
      }
    }
    return policies.length > most ? "names more than " + most + " policies" : "";
  }
}
