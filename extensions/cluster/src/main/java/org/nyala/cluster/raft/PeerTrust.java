package org.nyala.cluster.raft;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The authorities whose certificates members accept, as the file is now. Refusals are logged, for
 * gRPC tells nobody. Thread-safe.
 */
final class PeerTrust extends X509ExtendedTrustManager {
  private static final System.Logger LOG = System.getLogger(PeerTrust.class.getName());

  /** The time between two refusals that are logged: a peer tries again twice a second. */
  private static final long LOGGED_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Reloaded<X509ExtendedTrustManager> file;
  private final AtomicLong logged = new AtomicLong(System.nanoTime() - LOGGED_NANOS);

  /** A check of the platform. */
  private interface Check {
    void run(X509ExtendedTrustManager trust) throws CertificateException;
  }

  PeerTrust(Path authorities) throws RaftException {
    this.file = new Reloaded<>(List.of(authorities), () -> read(authorities));
  }

  private static X509ExtendedTrustManager read(Path authorities) throws RaftException {
    List<X509Certificate> certificates = PemFiles.certificates(authorities);
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (int i = 0; i < certificates.size(); i++) {
        store.setCertificateEntry("authority" + i, certificates.get(i));
      }
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(store);
      for (TrustManager each : factory.getTrustManagers()) {
        if (each instanceof X509ExtendedTrustManager trust) {
          return trust;
        }
      }
    } catch (GeneralSecurityException | IOException e) {
      throw new RaftException("The authorities of the file " + authorities + " are not usable.", e);
    }
    throw new RaftException("The Java runtime checks no certificates by PKIX.");
  }

  private void check(X509Certificate[] chain, @Nullable String peer, Check check)
      throws CertificateException {
    try {
      check.run(file.get());
    } catch (CertificateException e) {
      tell(chain, peer, e);
      throw e;
    }
  }

  private void tell(X509Certificate[] chain, @Nullable String peer, CertificateException e) {
    long now = System.nanoTime();
    long last = logged.get();
    if (now - last < LOGGED_NANOS || !logged.compareAndSet(last, now)) {
      return;
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "A member of the cluster is refused: its certificate of {0}{1} is not accepted: {2}.",
        chain.length == 0 ? "nobody" : chain[0].getSubjectX500Principal(),
        peer == null ? "" : ", from " + peer + ",",
        String.valueOf(e.getMessage()));
  }

  private static @Nullable String host(@Nullable SSLEngine engine) {
    return engine == null ? null : engine.getPeerHost();
  }

  private static @Nullable String host(@Nullable Socket socket) {
    return socket == null ? null : String.valueOf(socket.getInetAddress());
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain, host(engine), trust -> trust.checkClientTrusted(chain, type, engine));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain, host(engine), trust -> trust.checkServerTrusted(chain, type, engine));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain, host(socket), trust -> trust.checkClientTrusted(chain, type, socket));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain, host(socket), trust -> trust.checkServerTrusted(chain, type, socket));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain, null, trust -> trust.checkClientTrusted(chain, type));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain, null, trust -> trust.checkServerTrusted(chain, type));
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return file.get().getAcceptedIssuers();
  }
}
