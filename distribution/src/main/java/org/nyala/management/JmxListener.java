package org.nyala.management;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.server.RMIServerSocketFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

  /** More than people and collectors need; each takes a thread. */
  private static final int CONNECTIONS = 64;

  private final ServerSocket listening = new Listening();
  private final AtomicInteger open = new AtomicInteger();

  /** RMI serves each connection with one thread at a time, which asks for the stream first. */
  private final ThreadLocal<String> peer = ThreadLocal.withInitial(() -> "an unknown address");

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
    return peer.get();
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
      while (true) {
        Accepted accepted = new Accepted();
        implAccept(accepted);
        if (open.incrementAndGet() <= CONNECTIONS) {
          return accepted;
        }
        accepted.close();
      }
    }
  }

  /** A connection that does not tell where it comes from. */
  private final class Accepted extends Socket {
    private final AtomicBoolean isOver = new AtomicBoolean();

    @Override
    public @Nullable InetAddress getInetAddress() {
      return null;
    }

    @Override
    public InputStream getInputStream() throws IOException {
      InetAddress address = super.getInetAddress();
      peer.set(address == null ? "a connection that is gone" : address.getHostAddress());
      return super.getInputStream();
    }

    @Override
    public void close() throws IOException {
      if (isOver.compareAndSet(false, true)) {
        open.decrementAndGet();
      }
      super.close();
    }
  }
}
