package org.nyala.replica;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A line to a server that is cut after a number of bytes of the server's.
 *
 * <p>Thread-safe.
 */
final class CutLine implements AutoCloseable {
  private final ServerSocket entrance;
  private final int server;
  private final LongSupplier bounds;
  private final AtomicLong cuts = new AtomicLong();

  /**
   * Opens a line.
   *
   * @param server the port of the server on this machine
   * @param bounds gives the number of bytes for each connection
   */
  CutLine(int server, LongSupplier bounds) throws IOException {
    this.server = server;
    this.bounds = bounds;
    this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return entrance.getLocalPort();
  }

  /** Returns the number of connections that were cut. */
  long cuts() {
    return cuts.get();
  }

  private void accept() {
    while (!entrance.isClosed()) {
      try {
        Socket client = entrance.accept();
        Thread.ofVirtual().start(() -> connect(client));
      } catch (IOException _) {
        // It was closed.
      }
    }
  }

  private void connect(Socket client) {
    try (client;
        Socket far = new Socket(InetAddress.getLoopbackAddress(), server)) {
      Thread.ofVirtual().start(() -> forward(client, far));
      copyBack(far.getInputStream(), client.getOutputStream());
    } catch (IOException _) {
      // One side has closed the connection.
    }
  }

  private static void forward(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException _) {
      // One side has closed the connection.
    }
  }

  private void copyBack(InputStream in, OutputStream out) throws IOException {
    byte[] bytes = new byte[4096];
    long left = bounds.getAsLong();
    while (left > 0) {
      int count = in.read(bytes, 0, (int) Math.min(bytes.length, left));
      if (count < 0) {
        return;
      }
      out.write(bytes, 0, count);
      left -= count;
    }
    cuts.incrementAndGet();
  }

  @Override
  public void close() throws IOException {
    entrance.close();
  }
}
