package org.nyala.replica;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A line to a server that is cut after a number of bytes of the server's.
 *
 * <p>Thread-safe.
 */
public final class CutLine implements AutoCloseable {
  private final ServerSocket entrance;
  private final int server;
  private final LongSupplier bounds;
  private final AtomicLong cuts = new AtomicLong();
  private boolean held;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  /**
   * Opens a line.
   *
   * @param server the port of the server on this machine
   * @param bounds gives the number of bytes for each connection
   */
  public CutLine(int server, LongSupplier bounds) throws IOException {
    this.server = server;
    this.bounds = bounds;
    this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  /** Returns the port of its near end. */
  public int port() {
    return entrance.getLocalPort();
  }

  /** Returns the number of connections that were cut. */
  public long cuts() {
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
      open.add(client);
      Thread.ofVirtual().start(() -> forward(client, far));
      copyBack(far.getInputStream(), client.getOutputStream());
    } catch (IOException _) {
      // One side has closed the connection.
    } finally {
      open.remove(client);
    }
  }

  /** Cuts the connections that are open. */
  public void cut() throws IOException {
    for (Socket each : open) {
      each.close();
      count();
    }
  }

  /** Holds back what the server sends, or lets it through again; the connections stay. */
  public synchronized void hold(boolean isHeld) {
    held = isHeld;
    notifyAll();
  }

  private synchronized void awaitRelease() throws IOException {
    try {
      while (held) {
        wait();
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private synchronized void count() {
    cuts.incrementAndGet();
    notifyAll();
  }

  /**
   * Waits until as many connections were cut, or for a while.
   *
   * @return whether as many were
   */
  public synchronized boolean awaitCuts(long wanted, long millis) throws InterruptedException {
    long untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (cuts.get() < wanted) {
      long left = TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime());
      if (left <= 0) {
        break;
      }
      wait(left);
    }
    return cuts.get() >= wanted;
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
      awaitRelease();
      out.write(bytes, 0, count);
      left -= count;
    }
    count();
  }

  @Override
  public void close() throws IOException {
    entrance.close();
  }
}
