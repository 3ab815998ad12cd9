package org.nyala.netty.tls;

import io.netty.handler.ssl.ResumableX509ExtendedTrustManager;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateRevokedException;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the certificates of clients, with both engines: the path to a trusted authority, then
 * that nothing on it is revoked. The engines call it in tasks of their handshakes, never on event
 * loops; only {@link #resumeClientTrusted} and {@link #resumeServerTrusted} run there.
 *
 * <p>Thread-safe.
 */
final class ClientVerifier extends X509ExtendedTrustManager
    implements ResumableX509ExtendedTrustManager {
  /** The most bytes of a client's certificates. */
  static final int MOST_BYTES = 16 << 10;

  private static final int MOST_CERTIFICATES = 10;

  /** The place of the use for signatures among the bits of the key usage. */
  private static final int DIGITAL_SIGNATURE = 0;

  private final ClientCertificates settings;
  private final Map<X500Principal, List<X509Certificate>> authorities;
  private final X509Certificate[] announced;
  private final RevocationCheck revocation;

  private ClientVerifier(
      ClientCertificates settings,
      Collection<X509Certificate> authorities,
      RevocationCheck revocation) {
    this.settings = settings;
    this.authorities = new HashMap<>();
    int nameBytes = 0;
    for (X509Certificate each : authorities) {
      X500Principal name = each.getSubjectX500Principal();
      this.authorities.computeIfAbsent(name, _ -> new ArrayList<>()).add(each);
      nameBytes += name.getEncoded().length;
    }
    // Clients choose by these names; a message with more of them would be too long for some.
    this.announced =
        nameBytes > MOST_BYTES
            ? new X509Certificate[0]
            : authorities.toArray(X509Certificate[]::new);
    this.revocation = revocation;
  }

  /**
   * Reads the files of settings.
   *
   * @return null if clients are not asked for a certificate
   * @throws TlsFileException if a file cannot be used
   */
  static @Nullable ClientVerifier read(ClientCertificates settings) throws TlsFileException {
    return settings.authorities() == null || !settings.isAsked()
        ? null
        : new ClientVerifier(
            settings,
            TrustFiles.authorities(settings.authorities()),
            RevocationCheck.read(settings));
  }

  /** Returns whether a client without a certificate cannot come in. */
  boolean isRequired() {
    return settings.demand() == ClientCertificates.Demand.REQUIRED;
  }

  /** Returns which revocation list has ended, for people; empty if none has. */
  String lapse(Instant now) {
    return revocation.lapse(now);
  }

  /** Returns whether others are asked, which takes time, and again for every connection. */
  boolean isWaiting() {
    return revocation.isWaiting();
  }

  @Override
  public void checkClientTrusted(
      X509Certificate @Nullable [] chain, String authType, SSLEngine engine)
      throws CertificateException {
    verify(chain);
    if (isWaiting()) {
      endSession(engine.getHandshakeSession());
    }
  }

  /** Ends the session of the JDK's engine: whoever resumes it would not be asked about again. */
  private static void endSession(@Nullable SSLSession session) {
    if (session != null) {
      session.invalidate();
    }
  }

  private void verify(X509Certificate @Nullable [] offered) throws CertificateException {
    List<X509Certificate> chain = read(offered);
    try {
      boolean[] usage = chain.getFirst().getKeyUsage();
      if (usage != null && !usage[DIGITAL_SIGNATURE]) {
        throw RefusedCertificateException.of(
            chain, 0, "is not for signatures, by its key usage", null);
      }
      revocation.check(path(chain));
    } catch (GeneralSecurityException e) {
      throw e instanceof RefusedCertificateException refusal
          ? refusal
          : RefusedCertificateException.of(chain, 0, "cannot be verified: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      // Parsers of the JDK throw many kinds of exceptions at damaged certificates.
      throw RefusedCertificateException.of(chain, 0, "is damaged: " + e, e);
    }
  }

  /** Reads the certificates as the JDK does, which BoringSSL has not looked into. */
  private static List<X509Certificate> read(X509Certificate @Nullable [] offered)
      throws RefusedCertificateException {
    List<X509Certificate> chain = new ArrayList<>();
    int bytes = 0;
    if (offered == null || offered.length == 0 || offered.length > MOST_CERTIFICATES) {
      throw RefusedCertificateException.unread(
          "it comes with more than " + (MOST_CERTIFICATES - 1) + " others", null);
    }
    try {
      for (X509Certificate each : offered) {
        byte[] encoded = each.getEncoded();
        bytes += encoded.length;
        if (bytes > MOST_BYTES) {
          throw RefusedCertificateException.unread(
              "it and its authorities have more than " + MOST_BYTES + " bytes", null);
        }
        chain.add(TrustFiles.certificate(encoded));
      }
    } catch (RefusedCertificateException e) {
      throw e;
    } catch (GeneralSecurityException | RuntimeException e) {
      throw RefusedCertificateException.unread("it is damaged: " + e.getMessage(), e);
    }
    return chain;
  }

  /**
   * Returns the shortest path that is valid; what the client sends behind it is ignored. There are
   * several if an authority was renewed with the same key.
   */
  private TrustedPath path(List<X509Certificate> chain) throws GeneralSecurityException {
    RefusedCertificateException first = null;
    for (int length = 1; length <= chain.size(); length++) {
      X509Certificate last = chain.get(length - 1);
      for (X509Certificate authority :
          authorities.getOrDefault(last.getIssuerX500Principal(), List.of())) {
        if (isAuthority(authority, last) && isIssuedBy(last, authority)) {
          TrustedPath path = new TrustedPath(chain.subList(0, length), authority);
          try {
            validate(path);
            return path;
          } catch (RefusedCertificateException e) {
            first = first == null ? e : first;
          }
        }
      }
    }
    throw first == null ? astray(chain) : first;
  }

  private static RefusedCertificateException astray(List<X509Certificate> chain) {
    return RefusedCertificateException.of(
        chain,
        0,
        "leads to no authority of tls.clientCa, but to "
            + RefusedCertificateException.name(chain.getLast().getIssuerX500Principal()),
        null);
  }

  /** Returns whether a trusted certificate may issue one, as none of a client may but its own. */
  private static boolean isAuthority(X509Certificate trusted, X509Certificate issued) {
    return trusted.getBasicConstraints() >= 0 || trusted.equals(issued);
  }

  private static boolean isIssuedBy(X509Certificate certificate, X509Certificate authority) {
    try {
      certificate.verify(authority.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static void validate(TrustedPath path) throws GeneralSecurityException {
    try {
      path.validate();
    } catch (CertPathValidatorException e) {
      List<X509Certificate> whole = path.whole();
      int index = Math.clamp(e.getIndex(), 0, whole.size() - 1);
      throw RefusedCertificateException.of(whole, index, fault(e, whole.get(index)), e);
    } catch (CertificateExpiredException | CertificateNotYetValidException e) {
      List<X509Certificate> whole = path.whole();
      throw RefusedCertificateException.of(whole, whole.size() - 1, dates(whole.getLast()), e);
    }
  }

  private static String fault(CertPathValidatorException e, X509Certificate certificate) {
    return e.getReason() == BasicReason.EXPIRED || e.getReason() == BasicReason.NOT_YET_VALID
        ? dates(certificate)
        : "does not hold: " + e.getMessage();
  }

  private static String dates(X509Certificate certificate) {
    Instant begin = certificate.getNotBefore().toInstant();
    return Instant.now().isBefore(begin)
        ? "is not valid before " + begin
        : "has expired on " + certificate.getNotAfter().toInstant();
  }

  /**
   * Checks the dates of a path again, and those of revocation lists: a session may be resumed for
   * longer than they last. What the client has sent behind the path does not count.
   */
  private void resume(X509Certificate[] chain) throws CertificateException {
    List<X509Certificate> all = List.of(chain);
    Instant now = Instant.now();
    for (int i = 0; i < all.size(); i++) {
      X509Certificate each = all.get(i);
      if (!isInTime(each)) {
        throw RefusedCertificateException.of(all, i, dates(each), null);
      }
      if (revocation.isOutdated(each, now)) {
        throw RefusedCertificateException.of(
            all, i, "may be revoked: the list of its issuer has ended", null);
      }
      List<X509Certificate> issuers = authorities.get(each.getIssuerX500Principal());
      if (issuers != null) {
        resume(all, each, issuers);
        return;
      }
    }
    throw astray(all);
  }

  /** Checks the dates of the authority; signatures only if several have its name. */
  private static void resume(
      List<X509Certificate> chain, X509Certificate last, List<X509Certificate> issuers)
      throws CertificateException {
    if (issuers.stream()
        .noneMatch(each -> isInTime(each) && (issuers.size() == 1 || isIssuedBy(last, each)))) {
      List<X509Certificate> path = List.of(chain.getFirst(), issuers.getFirst());
      throw RefusedCertificateException.of(path, 1, dates(issuers.getFirst()), null);
    }
  }

  private static boolean isInTime(X509Certificate certificate) {
    try {
      certificate.checkValidity();
      return true;
    } catch (CertificateExpiredException | CertificateNotYetValidException e) {
      return false;
    }
  }

  @Override
  public void resumeClientTrusted(X509Certificate[] chain, SSLEngine engine)
      throws CertificateException {
    resume(chain);
  }

  /** Does the same: Netty's name for it tells the side that resumes. */
  @Override
  public void resumeServerTrusted(X509Certificate[] chain, SSLEngine engine)
      throws CertificateException {
    resume(chain);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return announced.clone();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    verify(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    verify(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    throw notForServers();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    throw notForServers();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw notForServers();
  }

  private static CertificateException notForServers() {
    return new CertificateException("certificates of servers are not verified here");
  }

  /** Describes the demand for people. */
  @Override
  public String toString() {
    int count = authorities.values().stream().mapToInt(List::size).sum();
    return String.format(
        Locale.ROOT,
        "%s, trusted authorities: %d, revocation: %s%s",
        isRequired() ? "required" : "optional",
        count,
        settings.revocation().name().toLowerCase(Locale.ROOT),
        settings.lists() == null ? "" : " with " + settings.lists());
  }

  /**
   * Checks that no certificate of a path is revoked. Each is a path of its own to its issuer, and
   * all responders are asked at once, so that one without an answer does not hide the others.
   *
   * <p>Thread-safe.
   */
  private static final class RevocationCheck {
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
}
