package org.nyala.cluster.raft;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The connections of one member to another, through this process: each direction can be cut, so
 * that bytes are held and nobody is told, or delayed. Thread-safe.
 */
public final class LinkProxy implements AutoCloseable {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final InetSocketAddress to;
  private final ServerSocket server = new ServerSocket();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Thread acceptor;
  private volatile boolean isRequestsCut;
  private volatile boolean isAnswersCut;
  private volatile long delayMillis;

  /** Listens at one address, and passes on to the other. */
  public LinkProxy(InetSocketAddress at, InetSocketAddress to) throws IOException {
    this.to = to;
    server.setReuseAddress(true);
    server.bind(at);
    acceptor = Thread.ofVirtual().start(this::accept);
  }

  /** Holds what the member that connects sends. */
  public void cutRequests(boolean isCut) {
    isRequestsCut = isCut;
  }

  /** Holds what the other answers. */
  public void cutAnswers(boolean isCut) {
    isAnswersCut = isCut;
  }

  /** Holds what either sends for some time. */
  public void delay(long millis) {
    delayMillis = millis;
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket from = server.accept();
        Thread.ofVirtual().start(() -> connect(from));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void connect(Socket from) {
    open.add(from);
    try {
      Socket target = new Socket();
      open.add(target);
      target.connect(to, 2_000);
      from.setTcpNoDelay(true);
      target.setTcpNoDelay(true);
      Thread.ofVirtual().start(() -> copy(target, from, false));
      copy(from, target, true);
    } catch (IOException e) {
      close(from);
    }
  }

  private void copy(Socket from, Socket target, boolean isRequest) {
    byte[] buffer = new byte[64 << 10];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = target.getOutputStream();
      for (int n; (n = in.read(buffer)) >= 0; ) {
        long delay = delayMillis;
        if (delay > 0) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(delay));
        }
        while (isRequest ? isRequestsCut : isAnswersCut) {
          LockSupport.parkNanos(LOOK_NANOS);
        }
        out.write(buffer, 0, n);
      }
    } catch (IOException e) {
      // one of the two has gone: so goes the other
    }
    close(from);
    close(target);
  }

  private void close(Socket socket) {
    open.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes all connections. The address is free afterwards. */
  @Override
  public void close() throws IOException {
    isRequestsCut = false;
    isAnswersCut = false;
    server.close();
    // The system keeps the address as long as a call that accepts has not returned.
    try {
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Socket socket : open) {
      socket.close();
    }
  }
}
