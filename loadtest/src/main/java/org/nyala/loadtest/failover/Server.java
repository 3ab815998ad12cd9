package org.nyala.loadtest.failover;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.Account;

/**
 * A server of a test.
 *
 * <p>Immutable.
 *
 * @param place its place among the URLs, from 0 up
 * @param url its URL, as it was given
 * @param account the identity of connections
 * @param timeOutMillis how long a connection, and each answer, is waited for
 * @param encryption the encryption of connections; null for none
 */
record Server(
    int place,
    String url,
    InetSocketAddress address,
    Account account,
    int timeOutMillis,
    @Nullable Encryption encryption) {

  /**
   * TLS.
   *
   * @param context the certificates that are trusted
   * @param isAsked true if TLS begins with an extended operation (RFC 4511, section 4.14)
   * @param isNamed true if the certificate must name the host
   */
  record Encryption(SSLContext context, boolean isAsked, boolean isNamed) {}

  /** The refusal of a bind, in words. */
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  /**
   * Opens a connection and binds.
   *
   * @throws RefusedException if the server refuses the bind
   * @throws IOException if it does not answer
   */
  Line open() throws IOException {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(timeOutMillis);
      socket.connect(
          new InetSocketAddress(address.getHostString(), address.getPort()), timeOutMillis);
      Line line = new Line(encryption == null ? socket : encrypted(socket, encryption));
      if (!account.dn().isEmpty()) {
        Line.Answer answer = line.ask(Pdu.bind(account.dn(), account.password()));
        if (!answer.isSuccess()) {
          throw new RefusedException(
              "--bind-dn: expected that "
                  + url
                  + " accepts "
                  + account.dn()
                  + ", found "
                  + answer.inWords());
        }
      }
      return line;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private Socket encrypted(Socket socket, Encryption how) throws IOException {
    if (how.isAsked()) {
      Line.Answer answer = new Line(socket).ask(Pdu.startTls());
      if (!answer.isSuccess()) {
        throw new RefusedException(
            "--start-tls: expected that " + url + " encrypts, found " + answer.inWords());
      }
    }
    SSLSocket encrypted =
        (SSLSocket)
            how.context()
                .getSocketFactory()
                .createSocket(socket, address.getHostString(), address.getPort(), true);
    if (how.isNamed()) {
      SSLParameters parameters = encrypted.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      encrypted.setSSLParameters(parameters);
    }
    encrypted.startHandshake();
    return encrypted;
  }
}
