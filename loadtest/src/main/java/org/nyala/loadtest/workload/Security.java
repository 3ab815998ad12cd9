package org.nyala.loadtest.workload;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Objects;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * The encryption of connections, and the certificates that the client trusts.
 *
 * <p>Immutable.
 *
 * @param kind the time at which TLS begins
 * @param context the context that sets TLS up; null for {@link Kind#NONE}
 */
public record Security(Kind kind, @Nullable SslContext context) {
  /** The time at which TLS begins. */
  public enum Kind {
    /** Never. */
    NONE,
    /** With the connection (ldaps). */
    FROM_THE_START,
    /** After an extended operation (RFC 4511, section 4.14). */
    START_TLS
  }

  /**
   * The certificate that clients show to the server.
   *
   * @param certificate a file in PEM with the certificate, then those that vouch for it
   * @param key a file in PEM with its private key (PKCS#8), not encrypted
   */
  public record ClientCertificate(Path certificate, Path key) {}

  public static final Security NONE = new Security(Kind.NONE, null);

  /**
   * Sets TLS up.
   *
   * @param certificates a file of certificates in PEM to trust; null for those that the Java
   *     runtime trusts
   * @param trustsAll true if any certificate is accepted, for tests with self-signed ones; the
   *     server's name is checked otherwise
   * @param own the certificate of the client; null for none
   * @throws IllegalArgumentException if a file has no certificate or no key
   */
  public static Security tls(
      Kind kind, @Nullable Path certificates, boolean trustsAll, @Nullable ClientCertificate own)
      throws SSLException {
    // Sessions to resume are found by host and port, as the class of the Java runtime does.
    SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
    if (own != null) {
      builder.keyManager(own.certificate().toFile(), own.key().toFile());
    }
    if (trustsAll) {
      builder
          .trustManager(InsecureTrustManagerFactory.INSTANCE)
          .endpointIdentificationAlgorithm("");
    } else {
      builder.endpointIdentificationAlgorithm("HTTPS");
      if (certificates != null) {
        builder.trustManager(certificates.toFile());
      }
    }
    return new Security(kind, builder.build());
  }

  /**
   * Creates the handler that encrypts a new connection to a server.
   *
   * @param sessions the number of the sessions that the connection may resume; connections with
   *     another number have others
   */
  public SslHandler handler(ByteBufAllocator allocator, InetSocketAddress server, int sessions) {
    return Objects.requireNonNull(context).newHandler(allocator, server.getHostString(), sessions);
  }

  /** Sets the most sessions that are kept to be resumed; no more are looked for. */
  public void keepSessions(int most) {
    if (context != null) {
      context.sessionContext().setSessionCacheSize(most);
    }
  }

  /**
   * Encrypts a connected socket, and waits for the handshake as long as for each read.
   *
   * @param server the server at its other end, whose name is checked
   * @return a socket whose end closes the other one
   * @throws IOException if the handshake fails
   */
  public SSLSocket over(Socket plain, InetSocketAddress server) throws IOException {
    SslContext set = Objects.requireNonNull(context);
    SSLSocket encrypted =
        (SSLSocket)
            ((JdkSslContext) set)
                .context()
                .getSocketFactory()
                .createSocket(plain, server.getHostString(), server.getPort(), true);
    encrypted.setSSLParameters(
        set.newEngine(ByteBufAllocator.DEFAULT, server.getHostString(), server.getPort())
            .getSSLParameters());
    encrypted.startHandshake();
    return encrypted;
  }
}
