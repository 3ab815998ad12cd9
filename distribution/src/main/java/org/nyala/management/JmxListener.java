package org.nyala.management;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.server.RMIServerSocketFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The one socket on which RMI listens for JMX, at one address.
 *
 * <p>RMI lets whoever is on the same machine change what its registry names, so that any user could
 * have others log in elsewhere. It goes by the address of the client for that, and refuses where
 * there is none: so it is not told. Thread-safe.
 */
final class JmxListener implements RMIServerSocketFactory, AutoCloseable {
  private static final int BACKLOG = 16;

  /**
   * More than people and collectors need; each takes a thread. Where all places are taken, the
   * connection gives way that has not called anything yet and was the first to fall silent; else
   * the one that has been silent longest. Clients of RMI connect anew when they have something to
   * say.
   */
  private static final int CONNECTIONS = 64;

  /** RMI serves each connection with one thread at a time, which asks for the stream first. */
  private static final ThreadLocal<@Nullable Accepted> SERVED = new ThreadLocal<>();

  private final ServerSocket listening = new Listening();
  private final Set<Accepted> open = ConcurrentHashMap.newKeySet();

  private JmxListener() throws IOException {}

  /**
   * Takes the port.
   *
   * @throws IOException when the address cannot be listened on
   */
  static JmxListener open(InetSocketAddress address) throws IOException {
    JmxListener listener = new JmxListener();
    try {
      listener.listening.setReuseAddress(true);
      listener.listening.bind(address, BACKLOG);
      return listener;
    } catch (IOException e) {
      listener.close();
      throw new IOException(
          "cannot listen on "
              + address.getHostString()
              + ":"
              + address.getPort()
              + " for JMX: "
              + e.getMessage(),
          e);
    }
  }

  /** Where it listens, with the port that it got. */
  InetSocketAddress address() {
    return (InetSocketAddress) listening.getLocalSocketAddress();
  }

  /** The address of the client that the calling thread serves. */
  String peer() {
    Accepted connection = SERVED.get();
    return connection == null ? "an unknown address" : connection.peer;
  }

  /** The client that the calling thread serves has come in: it keeps its place before others. */
  void cameIn() {
    Accepted connection = SERVED.get();
    if (connection != null) {
      connection.isIn = true;
    }
  }

  /** The socket; RMI asks once, as everything is exported at the same port. */
  @Override
  public ServerSocket createServerSocket(int port) {
    return listening;
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }

  /** Takes so many connections and no more. */
  private final class Listening extends ServerSocket {
    Listening() throws IOException {}

    @Override
    public Socket accept() throws IOException {
      Accepted accepted = new Accepted();
      implAccept(accepted);
      open.add(accepted);
      if (open.size() > CONNECTIONS) {
        giveWay(accepted);
      }
      return accepted;
    }

    private void giveWay(Accepted newcomer) throws IOException {
      Accepted least = null;
      for (Accepted each : open) {
        if (each != newcomer && (least == null || each.isBefore(least))) {
          least = each;
        }
      }
      if (least != null) {
        least.close();
      }
    }
  }

  /** A connection that does not tell where it comes from. */
  private final class Accepted extends Socket {
    private volatile String peer = "an unknown address";
    private volatile boolean isIn;
    private volatile long heardNanos = System.nanoTime();

    /** Whether this one gives way rather than the other. */
    boolean isBefore(Accepted other) {
      return isIn == other.isIn ? heardNanos - other.heardNanos < 0 : other.isIn;
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
      return null;
    }

    @Override
    public InputStream getInputStream() throws IOException {
      InetAddress address = super.getInetAddress();
      peer = address == null ? "a connection that is gone" : address.getHostAddress();
      SERVED.set(this);
      return new Heard(this, super.getInputStream());
    }

    @Override
    public void close() throws IOException {
      open.remove(this);
      super.close();
    }
  }

  /** What a client sends; notes when it did. */
  private static final class Heard extends FilterInputStream {
    private final Accepted connection;

    Heard(Accepted connection, InputStream in) {
      super(in);
      this.connection = connection;
    }

    @Override
    public int read() throws IOException {
      return noted(super.read());
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return noted(super.read(target, offset, length));
    }

    private int noted(int read) {
      connection.heardNanos = System.nanoTime();
      SERVED.set(connection);
      return read;
    }
  }
}
