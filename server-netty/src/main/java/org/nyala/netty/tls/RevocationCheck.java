package org.nyala.netty.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertStore;
import java.security.cert.CertificateRevokedException;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Checks that no certificate of a path is revoked, one after the other, from the authority on. Each
 * is a path of its own to its issuer, so that one without an answer does not hide the others.
 *
 * <p>Thread-safe.
 */
final class RevocationCheck {
  private final ClientCertificates settings;
  private final @Nullable CertStore lists;

  /** The end of the last list of each authority. */
  private final Map<X500Principal, Instant> ends;

  private final OcspClient responders = new OcspClient();

  private RevocationCheck(
      ClientCertificates settings, @Nullable CertStore lists, Map<X500Principal, Instant> ends) {
    this.settings = settings;
    this.lists = lists;
    this.ends = Map.copyOf(ends);
  }

  /**
   * Reads the revocation lists of settings.
   *
   * @throws TlsFileException if a file cannot be used
   */
  static RevocationCheck read(ClientCertificates settings) throws TlsFileException {
    if (settings.lists() == null) {
      return new RevocationCheck(settings, null, Map.of());
    }
    List<X509CRL> lists = TrustFiles.lists(settings.lists());
    Map<X500Principal, Instant> ends = new HashMap<>();
    for (X509CRL list : lists) {
      Instant end = list.getNextUpdate() == null ? Instant.MAX : list.getNextUpdate().toInstant();
      ends.merge(list.getIssuerX500Principal(), end, (a, b) -> a.isAfter(b) ? a : b);
    }
    try {
      CollectionCertStoreParameters content = new CollectionCertStoreParameters(lists);
      return new RevocationCheck(settings, CertStore.getInstance("Collection", content), ends);
    } catch (GeneralSecurityException e) {
      throw new TlsFileException("cannot keep revocation lists: " + e.getMessage(), e);
    }
  }

  /** Returns which list has ended without a later one; empty if none has. */
  String lapse(Instant now) {
    if (settings.revocation() == ClientCertificates.Revocation.NONE) {
      return "";
    }
    return ends.entrySet().stream()
        .filter(each -> each.getValue().isBefore(now))
        .min(Map.Entry.comparingByValue())
        .map(
            each ->
                "the revocation list of %s in %s has ended on %s"
                    .formatted(
                        RefusedCertificateException.name(each.getKey()),
                        settings.lists(),
                        each.getValue()))
        .orElse("");
  }

  /** Returns whether others are waited for. */
  boolean isWaiting() {
    return settings.revocation() == ClientCertificates.Revocation.OCSP;
  }

  /**
   * Checks the certificates of a path that is valid otherwise. Takes as long as the time-out at
   * most, and never runs on an event loop.
   *
   * @throws RefusedCertificateException if one is revoked, or may be
   */
  void check(TrustedPath path) throws RefusedCertificateException {
    if (settings.revocation() == ClientCertificates.Revocation.NONE) {
      return;
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(settings.timeoutSeconds());
    for (int i = path.certificates().size() - 1; i >= 0; i--) {
      X509Certificate certificate = path.certificates().get(i);
      try {
        String doubt = doubt(certificate, path.issuerOf(i), deadline);
        if (!doubt.isEmpty() && settings.isHard()) {
          throw RefusedCertificateException.of(
              path.certificates(), i, "may be revoked: " + doubt, null);
        }
      } catch (CertPathValidatorException e) {
        throw RefusedCertificateException.of(path.certificates(), i, revoked(e), e);
      }
    }
  }

  private static String revoked(CertPathValidatorException e) {
    return e.getCause() instanceof CertificateRevokedException detail
        ? "was revoked on %s (%s)"
            .formatted(detail.getRevocationDate().toInstant(), detail.getRevocationReason())
        : "was revoked";
  }

  /**
   * Returns the reason why nobody knows whether a certificate is revoked; empty if it is not.
   *
   * @throws CertPathValidatorException if it is
   */
  private String doubt(X509Certificate certificate, X509Certificate issuer, long deadline)
      throws CertPathValidatorException {
    String doubt = isWaiting() ? byResponder(certificate, issuer, deadline) : "";
    CertStore known = lists;
    boolean isOpen = !isWaiting() || !doubt.isEmpty();
    return isOpen && known != null ? byLists(certificate, issuer, known) : doubt;
  }

  private String byResponder(X509Certificate certificate, X509Certificate issuer, long deadline)
      throws CertPathValidatorException {
    try {
      byte[] answer = responders.ask(certificate, issuer, deadline);
      PKIXRevocationChecker checker =
          (PKIXRevocationChecker) CertPathValidator.getInstance("PKIX").getRevocationChecker();
      // With the answer there, and no other way, it asks nobody.
      checker.setOptions(EnumSet.of(PKIXRevocationChecker.Option.NO_FALLBACK));
      checker.setOcspResponses(Map.of(certificate, answer));
      PKIXParameters parameters = TrustedPath.parameters(issuer);
      parameters.addCertPathChecker(checker);
      return validate(certificate, parameters);
    } catch (CertPathValidatorException e) {
      throw e;
    } catch (IOException | GeneralSecurityException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Asks the lists by the way of the JDK that does not fetch others over the network. */
  private static String byLists(
      X509Certificate certificate, X509Certificate issuer, CertStore known)
      throws CertPathValidatorException {
    try {
      PKIXParameters parameters = TrustedPath.parameters(issuer);
      parameters.setRevocationEnabled(true);
      parameters.addCertStore(known);
      String doubt = validate(certificate, parameters);
      return doubt.isEmpty() ? "" : "no valid list of its issuer is there (" + doubt + ")";
    } catch (CertPathValidatorException e) {
      throw e;
    } catch (GeneralSecurityException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static String validate(X509Certificate certificate, PKIXParameters parameters)
      throws GeneralSecurityException {
    try {
      TrustedPath.validate(List.of(certificate), parameters);
      return "";
    } catch (CertPathValidatorException e) {
      if (e.getReason() == BasicReason.REVOKED) {
        throw e;
      }
      return String.valueOf(e.getMessage());
    }
  }
}
