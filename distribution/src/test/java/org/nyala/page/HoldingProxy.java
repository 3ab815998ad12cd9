package org.nyala.page;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A proxy that keeps the events of the live page to itself as long as it is told to, as those do
 * that collect an answer before they pass it on.
 *
 * <p>Thread-safe.
 */
final class HoldingProxy implements AutoCloseable {
  private static final String EVENTS = "GET /page/events ";
  private static final String END_OF_HEAD = "\r\n\r\n";

  private final InetSocketAddress server;
  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean isHolding = true;

  HoldingProxy(InetSocketAddress server) throws IOException {
    this.server = server;
    threads.execute(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + listening.getLocalPort() + "/";
  }

  /** Passes on everything from now on; cuts what it has held back, as a proxy that is reloaded. */
  void release() throws IOException {
    isHolding = false;
    for (Socket each : open) {
      each.close();
    }
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        threads.execute(() -> relay(client));
      } catch (IOException e) {
        // It is closed.
        return;
      }
    }
  }

  private void relay(Socket client) {
    try (client;
        Socket behind = new Socket(server.getAddress(), server.getPort())) {
      open.add(client);
      open.add(behind);
      String head = head(client.getInputStream());
      behind.getOutputStream().write(head.getBytes(ISO_8859_1));
      boolean isHeld = isHolding && head.startsWith(EVENTS);
      threads.execute(() -> copy(client, behind, false));
      copy(behind, client, isHeld);
    } catch (IOException e) {
      // One side has gone.
    } finally {
      open.remove(client);
    }
  }

  /** Returns what a client sends before the body of its request. */
  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith(END_OF_HEAD)) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("no request");
      }
      head.write(next);
    }
    return head.toString(ISO_8859_1);
  }

  private static void copy(Socket from, Socket to, boolean isHeld) {
    byte[] buffer = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!isHeld) {
          out.write(buffer, 0, read);
          out.flush();
        }
      }
    } catch (IOException e) {
      // One side has gone.
    }
  }

  @Override
  public void close() {
    try {
      listening.close();
      for (Socket each : open) {
        each.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.close();
  }
}
