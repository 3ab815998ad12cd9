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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Checks that no certificate of a path is revoked. Each is a path of its own to its issuer, and all
 * responders are asked at once, so that one without an answer does not hide the others.
 *
 * <p>Thread-safe.
 */
final class RevocationCheck {
  /** The time after its end for which the JDK takes a list. */
  private static final Duration GRACE = Duration.ofMinutes(15);

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
      ends.merge(
          list.getIssuerX500Principal(),
          list.getNextUpdate().toInstant(),
          (a, b) -> a.isAfter(b) ? a : b);
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
                String.format(
                    Locale.ROOT,
                    "the revocation list of %s in %s has ended on %s",
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
    List<OcspClient.Question> questions = isWaiting() ? ask(path) : List.of();
    try {
      for (int i = path.certificates().size() - 1; i >= 0; i--) {
        check(path, i, questions.isEmpty() ? null : questions.get(i));
      }
    } finally {
      questions.forEach(OcspClient.Question::cancel);
    }
  }

  /** Asks about all certificates at once: each has the whole time for its answer. */
  private List<OcspClient.Question> ask(TrustedPath path) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(settings.timeoutSeconds());
    List<OcspClient.Question> questions = new ArrayList<>();
    for (int i = 0; i < path.certificates().size(); i++) {
      questions.add(responders.ask(path.certificates().get(i), path.issuerOf(i), deadline));
    }
    return questions;
  }

  private void check(TrustedPath path, int index, OcspClient.@Nullable Question question)
      throws RefusedCertificateException {
    try {
      String doubt = doubt(path.certificates().get(index), path.issuerOf(index), question);
      if (!doubt.isEmpty() && settings.isHard()) {
        throw RefusedCertificateException.of(
            path.certificates(), index, "may be revoked: " + doubt, null);
      }
    } catch (CertPathValidatorException e) {
      throw RefusedCertificateException.of(path.certificates(), index, revoked(e), e);
    }
  }

  /**
   * Returns whether a certificate is refused only because the last list of its issuer has ended;
   * verifies nothing.
   */
  boolean isOutdated(X509Certificate certificate, Instant now) {
    Instant end = ends.get(certificate.getIssuerX500Principal());
    return settings.revocation() == ClientCertificates.Revocation.CRL
        && settings.isHard()
        && end != null
        && end.plus(GRACE).isBefore(now);
  }

  private static String revoked(CertPathValidatorException e) {
    return e.getCause() instanceof CertificateRevokedException detail
        ? String.format(
            Locale.ROOT,
            "was revoked on %s (%s)",
            detail.getRevocationDate().toInstant(),
            detail.getRevocationReason())
        : "was revoked";
  }

  /**
   * Returns the reason why nobody knows whether a certificate is revoked; empty if it is not.
   *
   * @throws CertPathValidatorException if it is
   */
  private String doubt(
      X509Certificate certificate, X509Certificate issuer, OcspClient.@Nullable Question question)
      throws CertPathValidatorException {
    String doubt = question == null ? "" : byResponder(certificate, issuer, question);
    CertStore known = lists;
    boolean isOpen = question == null || !doubt.isEmpty();
    return isOpen && known != null ? byLists(certificate, issuer, known) : doubt;
  }

  private static String byResponder(
      X509Certificate certificate, X509Certificate issuer, OcspClient.Question question)
      throws CertPathValidatorException {
    try {
      byte[] answer = question.await();
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
