package org.nyala.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.channel.unix.Socket;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.error.ErrorMessages;

/**
 * The client of a service manager's notification socket (sd_notify(3)): systemd, and others with
 * the same protocol.
 *
 * <p>No caller waits for it. A message that the manager does not accept is lost, except for the
 * latest state (ready, reloading or stopping), which is repeated until it is accepted. The log has
 * one line when that begins and one when it is over.
 *
 * <p>Thread-safe.
 */
public final class SystemdNotifier implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SystemdNotifier.class.getName());
  private static final String SOCKET = "NOTIFY_SOCKET";
  private static final String WATCHDOG_MICROS = "WATCHDOG_USEC";
  private static final String WATCHDOG_PID = "WATCHDOG_PID";
  private static final String STATUS = "STATUS=";
  private static final String READY = "READY=1";
  private static final String EXTEND = "EXTEND_TIMEOUT_USEC=";

  private final @Nullable String address;
  private final boolean hasWatchdog;
  private final LongSupplier nanoClock;
  private String status = "";

  /** The state that is still to be delivered; empty if there is none. */
  private String owed = "";

  private boolean isUnheard;
  private boolean isStopping;

  /**
   * The socket, kept open: a server without free file descriptors must not look like one that
   * hangs.
   */
  private @Nullable UnixDatagram socket;

  private SystemdNotifier(@Nullable String address, boolean hasWatchdog, LongSupplier nanoClock) {
    this.address = address;
    this.hasWatchdog = hasWatchdog;
    this.nanoClock = nanoClock;
  }

  /**
   * Returns the client for the socket that an environment names; an idle one if it names none.
   *
   * @param pid this process: a watchdog may be meant for another one
   * @param nanoClock CLOCK_MONOTONIC, which System.nanoTime() is on Linux
   */
  public static SystemdNotifier of(
      Map<String, String> environment, long pid, LongSupplier nanoClock) {
    String socket = environment.get(SOCKET);
    String meant = environment.getOrDefault(WATCHDOG_PID, "");
    boolean hasWatchdog =
        !environment.getOrDefault(WATCHDOG_MICROS, "").isEmpty()
            && (meant.isEmpty() || meant.equals(Long.toString(pid)));
    return new SystemdNotifier(
        socket == null || socket.isEmpty() ? null : socket, hasWatchdog, nanoClock);
  }

  /** Returns a client that notifies no manager. */
  public static SystemdNotifier none() {
    return new SystemdNotifier(null, false, () -> 0);
  }

  /** Reports that the service starts. */
  void starting() {
    tell(STATUS + "starting");
  }

  /** Reports that the service is still starting or stopping and needs some more seconds. */
  void extend(long seconds) {
    tell(EXTEND + TimeUnit.SECONDS.toMicros(seconds));
  }

  /** Reports that the service accepts connections. */
  synchronized void ready(List<String> listeners) {
    status = STATUS + "serving " + String.join(" ", listeners);
    tellState(READY + "\n" + status);
  }

  /** Reports that the service reloads its configuration; {@link #reloaded} follows. */
  void reloading() {
    tellState(
        "RELOADING=1\nMONOTONIC_USEC="
            + TimeUnit.NANOSECONDS.toMicros(nanoClock.getAsLong())
            + "\n"
            + STATUS
            + "reading the configuration again");
  }

  /** Reports that the reload is complete. */
  synchronized void reloaded() {
    tellState(READY + "\n" + status);
  }

  /** Reports that the service stops, and the seconds that may take. */
  synchronized void stopping(long seconds) {
    tellState("STOPPING=1\n" + STATUS + "stopping\n" + EXTEND + TimeUnit.SECONDS.toMicros(seconds));
    isStopping = true;
  }

  /**
   * Reports that the service is alive, if the manager asks for that; a pending state goes first.
   */
  void alive() {
    if (hasWatchdog) {
      tell("WATCHDOG=1");
    } else {
      catchUp();
    }
  }

  /** Delivers a pending state. To be called every second. */
  synchronized void catchUp() {
    if (!owed.isEmpty() && isSent(owed)) {
      owed = "";
    }
  }

  /**
   * Reports a state; it replaces a pending one, which is of no use any more, and a stop is final.
   */
  private synchronized void tellState(String text) {
    if (!isStopping) {
      owed = text;
      catchUp();
    }
  }

  private synchronized void tell(String text) {
    catchUp();
    if (owed.isEmpty()) {
      boolean _ = isSent(text);
    }
  }

  private boolean isSent(String text) {
    String to = address;
    if (to == null) {
      return true;
    }
    try {
      boolean isTaken = socket().send(to, text);
      note(isTaken, to, "it does not read its socket");
      return isTaken;
    } catch (IOException | RuntimeException e) {
      note(false, to, ErrorMessages.line(e));
      return false;
    }
  }

  private void note(boolean isHeard, String to, String reason) {
    if (isHeard == !isUnheard) {
      return;
    }
    isUnheard = !isHeard;
    if (isHeard) {
      LOG.log(Level.INFO, "the service manager at {0} receives notifications again", to);
    } else {
      LOG.log(
          Level.WARNING,
          "the service manager at {0} receives no notifications: {1}; whether the "
              + "server is ready, reloads or stops is sent again every second",
          to,
          reason);
    }
  }

  private synchronized UnixDatagram socket() throws IOException {
    UnixDatagram open = socket;
    if (open == null) {
      open = UnixDatagram.open();
      socket = open;
    }
    return open;
  }

  /** Stops all notifications. */
  @Override
  public synchronized void close() {
    try {
      if (socket != null) {
        socket.close();
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "closing the socket to the service manager", e);
    }
  }

  /**
   * A socket that sends datagrams to other processes on the machine (unix(7)), by the library that
   * the connections of clients have. Linux only.
   *
   * <p>Thread-safe.
   */
  static final class UnixDatagram implements AutoCloseable {
    private static final int LONGEST_PATH = 107;
    private static final int NO_ENTRY = 2;

    private final Socket socket;

    private UnixDatagram(Socket socket) {
      this.socket = socket;
    }

    /**
     * Creates a socket, which takes a file descriptor.
     *
     * @throws IOException if there is none left, or the system does not support such sockets
     */
    static UnixDatagram open() throws IOException {
      if (!Epoll.isAvailable()) {
        throw new IOException(
            "this system does not support such sockets", Epoll.unavailabilityCause());
      }
      return new UnixDatagram(Socket.newSocketDomainDgram());
    }

    /**
     * Sends a text to the socket of an address; never waits.
     *
     * @param address a path, or {@code @} and a name in the abstract namespace
     * @return false if the receiver's queue is full; nothing was sent
     * @throws IOException if no process listens there, the address is invalid, or this is closed
     */
    synchronized boolean send(String address, String text) throws IOException {
      if (!socket.isOpen()) {
        throw new IOException("the socket is closed");
      }
      byte[] message = text.getBytes(UTF_8);
      ByteBuffer buffer = ByteBuffer.allocateDirect(message.length).put(message);
      try {
        return socket.sendToDomainSocket(buffer, 0, message.length, path(address))
            == message.length;
      } catch (FileNotFoundException e) {
        throw failure(NO_ENTRY, e);
      } catch (NativeIoException e) {
        throw failure(-e.expectedErr(), e);
      }
    }

    private static IOException failure(int error, IOException cause) {
      return new IOException("cannot send: error " + error, cause);
    }

    /** Closes the file descriptor. Idempotent. */
    @Override
    public synchronized void close() throws IOException {
      socket.close();
    }

    /** Returns the path of a struct sockaddr_un; an abstract name begins with a zero. */
    private static byte[] path(String address) throws IOException {
      byte[] path = address.getBytes(UTF_8);
      boolean isAbstract = address.startsWith("@");
      if (!isAbstract && !address.startsWith("/")
          || path.length < 2
          || path.length > LONGEST_PATH) {
        throw new IOException(
            "expected a path or @ and a name, of at most " + LONGEST_PATH + " bytes: " + address);
      }
      if (isAbstract) {
        path[0] = 0;
      }
      return path;
    }
  }
}
