package org.nyala.netty.tls;

import io.netty.handler.ssl.JdkSslContext;
import java.io.IOException;
import java.net.Socket;
import java.util.Objects;
import javax.net.ssl.SSLSocket;
import org.nyala.core.metrics.ServerMetrics;

/**
 * The encryption of ports that have threads of their own instead of event loops, by the JDK's
 * engine. Certificates are read again when their files have changed, as those of LDAP.
 *
 * <p>Thread-safe.
 */
public final class TlsSockets implements AutoCloseable {
  private static final String PURPOSE = " for management";

  private final TlsPort port;

  private TlsSockets(TlsPort port) {
    this.port = port;
  }

  /**
   * Reads certificates and keys.
   *
   * @param settings names at least one certificate; its engine does not matter
   * @param listener learns of new certificates
   * @throws TlsFileException if a file cannot be used
   */
  public static TlsSockets open(TlsSettings settings, TlsListener listener)
      throws TlsFileException {
    // The handshakes of these ports are not those of LDAP clients, which the metrics count.
    TlsPort port = TlsPort.open(ofJdk(settings), new ServerMetrics(), listener, PURPOSE);
    return new TlsSockets(Objects.requireNonNull(port, "no certificates"));
  }

  /**
   * Reads certificates and keys as ports do, and opens none.
   *
   * @throws TlsFileException if a file cannot be used
   */
  public static void check(TlsSettings settings) throws TlsFileException {
    TlsPort.check(ofJdk(settings));
  }

  private static TlsSettings ofJdk(TlsSettings settings) {
    return new TlsSettings(
        TlsSettings.Engine.JDK,
        settings.certificates(),
        settings.handshakeMillis(),
        settings.checkSeconds(),
        ClientCertificates.NONE);
  }

  /**
   * Reads certificates and keys anew.
   *
   * @throws TlsFileException if a file cannot be used
   */
  public TlsPort.Renewal read(TlsSettings other) throws TlsFileException {
    return port.read(ofJdk(other));
  }

  /** Returns the state of the certificates at the last look. Never blocks. */
  public TlsStatus status() {
    return port.status();
  }

  /**
   * Returns the server's end of an encrypted connection over an accepted one. The handshake begins
   * when it is first read or written, on that thread; closing it closes the accepted one.
   *
   * @throws IOException if the connection has ended already
   */
  public SSLSocket encrypt(Socket accepted) throws IOException {
    JdkSslContext context = port.jdkContext();
    SSLSocket socket =
        (SSLSocket) context.context().getSocketFactory().createSocket(accepted, null, true);
    socket.setEnabledProtocols(TlsMaterial.PROTOCOLS.toArray(String[]::new));
    socket.setEnabledCipherSuites(context.cipherSuites().toArray(String[]::new));
    return socket;
  }

  /** Ends the watch of the files. */
  @Override
  public void close() {
    port.close();
  }
}
