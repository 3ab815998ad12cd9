package org.nyala.loadtest.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.nyala.loadtest.ldap.Pdu;

/** A server that answers every request for user.0 with the same entry, fast. Thread-safe. */
final class FixedAnswers implements AutoCloseable {
  private final ServerSocket listening;
  private volatile boolean closed;

  private FixedAnswers(ServerSocket listening) {
    this.listening = listening;
  }

  static FixedAnswers start() throws IOException {
    FixedAnswers server =
        new FixedAnswers(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    Thread.ofPlatform().daemon().start(server::accept);
    return server;
  }

  private void accept() {
    try {
      while (!closed) {
        Socket socket = listening.accept();
        socket.setTcpNoDelay(true);
        Thread.ofPlatform().daemon().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // The test has ended.
    }
  }

  private static void serve(Socket socket) {
    byte[] answer =
        StubServer.answer(
            Pdu.FIRST_MESSAGE_ID,
            StubServer.entry("uid=user.0,ou=People,dc=example,dc=com", "user.0"));
    int secondId = indexOfId(answer, indexOfId(answer, 0) + 3);
    int firstId = indexOfId(answer, 0);
    byte[] request = new byte[1024];
    try (socket) {
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      int read = in.read(request);
      while (read > 0) {
        // One request at a time.
        int id = Pdu.messageIdPlace(request);
        System.arraycopy(request, id, answer, firstId, 3);
        System.arraycopy(request, id, answer, secondId, 3);
        out.write(answer);
        read = in.read(request);
      }
    } catch (IOException e) {
      // The test has ended.
    }
  }

  private static int indexOfId(byte[] answer, int from) {
    int at = from;
    while (answer[at] != 2 || answer[at + 1] != 3 || answer[at + 2] != 1) {
      at++;
    }
    return at + 2;
  }

  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), listening.getLocalPort());
  }

  @Override
  public void close() throws IOException {
    closed = true;
    listening.close();
  }
}
