package org.nyala.management.jmxport;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.rmi.server.RMIServerSocketFactory;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.nyala.error.ErrorMessages;
import org.nyala.netty.tls.TlsSockets;

/**
 * The single socket on which RMI listens for JMX, at one address; encrypted if there are
 * certificates. A handshake counts as what comes before a login.
 *
 * <p>RMI allows any client on the same machine to rebind the names of its registry, so that a local
 * user could redirect the logins of others. It decides by the address of the client, and refuses if
 * there is none: therefore the address is hidden from it. Thread-safe.
 */
final class JmxListener implements RMIServerSocketFactory, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(JmxListener.class.getName());
  private static final int BACKLOG = 16;

  /** The pause before a connection that could not be accepted is tried again. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The time that each received byte adds to the time-out: 100 of them a second. */
  private static final long NANOS_FOR_BYTE = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * The connection of the calling thread: RMI serves each connection with one thread at a time,
   * which asks for the stream first.
   */
  private static final ThreadLocal<@Nullable Accepted> SERVED = new ThreadLocal<>();

  private final ServerSocket listening = new Listening();
  private final Set<Accepted> open = ConcurrentHashMap.newKeySet();

  private final JmxBounds bounds;
  private final @Nullable TlsSockets tls;
  private final SecureRandom random = new SecureRandom();

  private JmxListener(JmxBounds bounds, @Nullable TlsSockets tls) throws IOException {
    this.bounds = bounds;
    this.tls = tls;
  }

  /**
   * Binds the port.
   *
   * @param tls encrypts connections, and is not closed by this listener; null for none
   * @throws IOException if it cannot listen on the address
   */
  static JmxListener open(InetSocketAddress address, JmxBounds bounds, @Nullable TlsSockets tls)
      throws IOException {
    JmxListener listener = new JmxListener(bounds, tls);
    try {
      listener.listening.setReuseAddress(true);
      listener.listening.bind(address, BACKLOG);
      return listener;
    } catch (IOException e) {
      listener.close();
      throw ErrorMessages.listenFailure(address, "JMX", e);
    }
  }

  /** Returns the address that it listens on, with the actual port. */
  InetSocketAddress address() {
    return (InetSocketAddress) listening.getLocalSocketAddress();
  }

  /** Returns the address of the client that the calling thread serves. */
  String peer() {
    Accepted connection = SERVED.get();
    return connection == null ? "an unknown address" : connection.peer;
  }

  /**
   * Marks the client of the calling thread as admitted: it keeps its slot in preference to others.
   */
  void cameIn() {
    Accepted connection = SERVED.get();
    if (connection != null) {
      connection.isIn = true;
    }
  }

  /**
   * Returns the number of connections that an address may have: all users of the machine are one on
   * loopback.
   */
  int places(InetAddress address) {
    return address.isLoopbackAddress() ? JmxBounds.CONNECTIONS : bounds.connectionsPerAddress();
  }

  /** Returns the socket; RMI asks once, as everything is exported at the same port. */
  @Override
  public ServerSocket createServerSocket(int port) {
    return listening;
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }

  /**
   * A socket that accepts a bounded number of connections. If all slots are taken, or all of an
   * address, a random one of the connections without a call is closed, so that a client that
   * connects again and again does not keep out one that is about to log in; if there are none, the
   * one that has been silent longest. RMI clients reconnect when they have something to send.
   */
  private final class Listening extends ServerSocket {
    Listening() throws IOException {}

    @Override
    public Socket accept() throws IOException {
      Socket next = null;
      while (next == null) {
        next = encrypted(acceptClear());
      }
      return next;
    }

    /** Returns null if the connection has ended meanwhile: RMI would pause after a failure. */
    private @Nullable Socket encrypted(Accepted accepted) throws IOException {
      if (tls == null) {
        return accepted;
      }
      try {
        return tls.encrypt(accepted);
      } catch (IOException e) {
        accepted.close();
        return null;
      }
    }

    private Accepted acceptClear() throws IOException {
      Accepted accepted = accepted();
      accepted.comesFromPeer();
      open.add(accepted);
      List<Accepted> neighbours =
          open.stream().filter(each -> each.peer.equals(accepted.peer)).toList();
      if (neighbours.size() > accepted.places) {
        giveWay(accepted, neighbours);
      } else if (open.size() > JmxBounds.CONNECTIONS) {
        giveWay(accepted, open);
      }
      return accepted;
    }

    /** Tries until it succeeds: RMI would log the stack of each failure. */
    private Accepted accepted() throws IOException {
      boolean isLogged = false;
      while (true) {
        Accepted accepted = new Accepted();
        try {
          implAccept(accepted);
          return accepted;
        } catch (IOException e) {
          if (isClosed() || Thread.currentThread().isInterrupted()) {
            throw e;
          }
          if (!isLogged) {
            LOG.log(
                System.Logger.Level.WARNING,
                "connections for JMX cannot be accepted: {0}",
                e.getMessage());
            isLogged = true;
          }
          LockSupport.parkNanos(RETRY_NANOS);
        }
      }
    }

    private void giveWay(Accepted newcomer, Collection<Accepted> among) throws IOException {
      List<Accepted> outside = new ArrayList<>();
      Accepted silent = null;
      for (Accepted each : among) {
        if (each == newcomer) {
          continue;
        }
        if (!each.isIn) {
          outside.add(each);
        } else if (silent == null || each.heardNanos - silent.heardNanos < 0) {
          silent = each;
        }
      }
      if (!outside.isEmpty()) {
        outside.get(random.nextInt(outside.size())).close();
      } else if (silent != null) {
        silent.close();
      }
    }
  }

  /**
   * A connection that hides its origin and has a limited time to log in. The time runs while the
   * server waits for it: RMI has the thread that serves a connection read from it.
   */
  private final class Accepted extends Socket {
    private volatile String peer = "an unknown address";
    private int places = bounds.connectionsPerAddress();
    private int wantedMillis;
    private long waitNanos = TimeUnit.SECONDS.toNanos(bounds.loginSeconds());
    private volatile boolean isIn;
    private volatile long heardNanos = System.nanoTime();

    /** Records the origin: an address that is no longer known is none. */
    void comesFromPeer() {
      InetAddress address = super.getInetAddress();
      peer = address == null ? "a connection that is gone" : address.getHostAddress();
      places = address == null ? places : places(address);
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
      wantedMillis = millis;
      super.setSoTimeout(millis);
    }

    /** Sets the time-out of the next read. */
    void expect() throws IOException {
      if (isIn) {
        super.setSoTimeout(wantedMillis);
        return;
      }
      long leftMillis = TimeUnit.NANOSECONDS.toMillis(waitNanos);
      if (leftMillis <= 0) {
        throw new SocketTimeoutException("nobody has logged in");
      }
      super.setSoTimeout(
          (int) (wantedMillis > 0 ? Math.min(wantedMillis, leftMillis) : leftMillis));
    }

    /** Records the result of a read. */
    void heard(int bytes, long waitedNanos) {
      heardNanos = System.nanoTime();
      waitNanos =
          Math.min(
              TimeUnit.SECONDS.toNanos(bounds.loginSeconds()),
              waitNanos - waitedNanos + Math.max(0, bytes) * NANOS_FOR_BYTE);
      SERVED.set(this);
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
      return null;
    }

    @Override
    public InputStream getInputStream() throws IOException {
      SERVED.set(this);
      return new Heard(this, super.getInputStream());
    }

    @Override
    public void close() throws IOException {
      open.remove(this);
      super.close();
    }
  }

  /** The input of a client; records the time of reads and their waits. */
  private static final class Heard extends FilterInputStream {
    private final Accepted connection;

    Heard(Accepted connection, InputStream in) {
      super(in);
      this.connection = connection;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      connection.expect();
      long begunNanos = System.nanoTime();
      int read = super.read(target, offset, length);
      connection.heard(read, System.nanoTime() - begunNanos);
      return read;
    }
  }
}
