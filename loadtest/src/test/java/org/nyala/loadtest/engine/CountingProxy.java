package org.nyala.loadtest.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A relay to a server that counts the bytes of the server on each connection. Thread-safe. */
final class CountingProxy implements AutoCloseable {
  private static final int BUFFER = 16 << 10;

  private final ServerSocket listening;
  private final int target;
  private final List<AtomicInteger> counts = new ArrayList<>();

  private CountingProxy(ServerSocket listening, int target) {
    this.listening = listening;
    this.target = target;
  }

  static CountingProxy start(int target) throws IOException {
    CountingProxy proxy =
        new CountingProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
    Thread.ofPlatform().daemon().start(proxy::accept);
    return proxy;
  }

  int port() {
    return listening.getLocalPort();
  }

  /** The bytes of the server on each connection so far, in the order in which they came. */
  List<Integer> bytes() {
    synchronized (counts) {
      return counts.stream().map(AtomicInteger::get).toList();
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        AtomicInteger count = new AtomicInteger();
        synchronized (counts) {
          counts.add(count);
        }
        relay(client, server, new AtomicInteger());
        relay(server, client, count);
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private static void relay(Socket from, Socket to, AtomicInteger count) {
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              byte[] buffer = new byte[BUFFER];
              try (from;
                  to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                int read = in.read(buffer);
                while (read >= 0) {
                  count.addAndGet(read);
                  out.write(buffer, 0, read);
                  read = in.read(buffer);
                }
              } catch (IOException e) {
                // One of them closed the connection.
              }
            });
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
