package org.nyala.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A client of the HTTP port that connects from an address of this machine, and sends one request a
 * connection.
 *
 * <p>Immutable.
 *
 * @param port the port
 * @param from the address to connect from, such as 127.0.0.2
 * @param context encrypts connections; null for none
 */
record HttpProbe(int port, String from, @Nullable SSLContext context) {
  private static final int TIMEOUT_MILLIS = 20_000;

  /** Opens a connection, which sends nothing. */
  Socket open() throws IOException {
    Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.ofLiteral(from), 0);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }

  /** Returns the status of the answer, and its head and body. */
  Answer get(String path, String... headers) throws IOException {
    try (Socket clear = open();
        Socket socket = encrypted(clear)) {
      String head = String.join("\r\n", headers) + (headers.length == 0 ? "" : "\r\n");
      String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + head + "\r\n";
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      return Answer.of(new String(socket.getInputStream().readAllBytes(), ISO_8859_1));
    }
  }

  private Socket encrypted(Socket clear) throws IOException {
    return context == null
        ? clear
        : context.getSocketFactory().createSocket(clear, "127.0.0.1", port, true);
  }

  /** Returns the header of a name and a password. */
  static String basic(String credentials) {
    return "Authorization: Basic "
        + Base64.getEncoder().encodeToString(credentials.getBytes(ISO_8859_1));
  }

  /**
   * An answer.
   *
   * @param status the code; 0 if the connection ended without one
   */
  record Answer(int status, String text) {
    static Answer of(String text) {
      boolean isAnswer = text.startsWith("HTTP/1.1 ");
      return new Answer(isAnswer ? Integer.parseInt(text.substring(9, 12)) : 0, text);
    }
  }
}
