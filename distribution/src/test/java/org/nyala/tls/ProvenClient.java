package org.nyala.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.nyala.core.TestAuthority;
import org.nyala.core.ber.BerWriter;

/**
 * A client that shows a certificate whatever the server asks for, and resumes its sessions.
 *
 * <p>Confined to one thread.
 */
final class ProvenClient {
  /** A search for the root DSE, which everybody may read. */
  static final byte[] ROOT_DSE =
      new BerWriter()
          .sequence(
              new BerWriter()
                  .integer(1)
                  .constructed(
                      0x63,
                      new BerWriter()
                          .text("")
                          .enumerated(0)
                          .enumerated(0)
                          .integer(0)
                          .integer(0)
                          .bool(false)
                          .text(0x87, "objectClass")
                          .sequence(new BerWriter().text("1.1"))))
          .toByteArray();

  private final SSLContext context;
  private final Set<Long> sessions = new HashSet<>();
  private boolean hasResumed;

  /**
   * Creates one without sessions.
   *
   * @param identity null for one that shows nothing
   */
  ProvenClient(TestAuthority.@Nullable Issued identity) throws GeneralSecurityException {
    context = SSLContext.getInstance("TLS");
    context.init(
        identity == null ? null : new KeyManager[] {new Identity(identity)},
        new TrustManager[] {new Anybody()},
        null);
  }

  SSLContext context() {
    return context;
  }

  /** Returns whether the server serves a connection of this client. */
  boolean isServed(int port, String protocol) throws IOException {
    hasResumed = false;
    Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
    try (SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(plain, "127.0.0.1", port, true)) {
      socket.setEnabledProtocols(new String[] {protocol});
      return isServed(socket);
    }
  }

  /** Returns whether a connection is served, of which the handshake is still to come. */
  boolean isServed(SSLSocket socket) {
    try {
      socket.startHandshake();
      hasResumed = !sessions.add(socket.getSession().getCreationTime());
      socket.getOutputStream().write(ROOT_DSE);
      return TlsClients.message(socket.getInputStream()).length > 0;
    } catch (IOException e) {
      // An alert, or the end of the connection.
      return false;
    }
  }

  /** Returns whether the last handshake resumed a session. */
  boolean hasResumed() {
    return hasResumed;
  }

  /** Trusts every server. */
  private static final class Anybody implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  /** Hands out one certificate, whatever is asked for. */
  private static final class Identity extends X509ExtendedKeyManager {
    private static final String ALIAS = "own";
    private final TestAuthority.Issued issued;

    Identity(TestAuthority.Issued issued) {
      this.issued = issued;
    }

    private @Nullable String alias(String... types) {
      boolean isRsa = issued.keys().getPublic().getAlgorithm().equals("RSA");
      List<String> known = isRsa ? List.of("RSA", "RSASSA-PSS") : List.of("EC", "EC_EC");
      return Arrays.stream(types).anyMatch(known::contains) ? ALIAS : null;
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
        String[] types, Principal @Nullable [] issuers, SSLEngine engine) {
      return alias(types);
    }

    @Override
    public @Nullable String chooseClientAlias(
        String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
      return alias(types);
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return issued.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
      return issued.keys().getPrivate();
    }

    @Override
    public String[] getClientAliases(String type, Principal @Nullable [] issuers) {
      return new String[] {ALIAS};
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
      return null;
    }

    @Override
    public @Nullable String chooseServerAlias(
        String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
      return null;
    }
  }
}
