package org.nyala.loadtest.failover;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.Security;

/**
 * A server of a test.
 *
 * <p>Thread-safe.
 *
 * @param place its place among the URLs, from 0 up
 * @param url its URL, as it was given
 * @param login the bind of connections
 * @param timeOutMillis how long a connection, and each answer, is waited for
 * @param security the encryption of connections
 */
record Server(
    int place,
    String url,
    InetSocketAddress address,
    Login login,
    int timeOutMillis,
    Security security) {

  /** The refusal of a server to take part, in words. */
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  /**
   * Opens a connection and binds.
   *
   * @throws RefusedException if the server refuses StartTLS or the bind
   * @throws IOException if it does not answer
   */
  Line open() throws IOException {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(timeOutMillis);
      InetSocketAddress now = new InetSocketAddress(address.getHostString(), address.getPort());
      socket.connect(now, timeOutMillis);
      Line line =
          switch (security.kind()) {
            case NONE -> new Line(socket);
            case FROM_THE_START -> new Line(security.over(socket, now));
            case START_TLS -> startTls(socket, now);
          };
      login.bind(line, url);
      return line;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private Line startTls(Socket socket, InetSocketAddress now) throws IOException {
    Line.Answer answer = new Line(socket).ask(Pdu.startTls());
    if (!answer.isSuccess()) {
      throw new RefusedException(
          "--start-tls: expected that " + url + " encrypts, found " + answer.inWords());
    }
    return new Line(security.over(socket, now));
  }
}
