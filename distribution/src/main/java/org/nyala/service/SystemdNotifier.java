package org.nyala.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
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
   * A socket that sends datagrams to other processes on the machine (unix(7)); the JDK has no class
   * for it. Linux only.
   *
   * <p>Thread-safe.
   */
  public static final class UnixDatagram implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int EAGAIN = 11;

    /** The bytes of an address before the path: its kind. */
    private static final int KIND_BYTES = 2;

    private static final int LONGEST_PATH = 107;
    private static final MemoryLayout ERRORS = Linker.Option.captureStateLayout();

    private final int socket;
    private boolean isClosed;

    private UnixDatagram(int socket) {
      this.socket = socket;
    }

    /** The functions of the C library, and the place of their error numbers. */
    private record Library(Linker linker, MemorySegment errors) {
      int socket() throws Throwable {
        MethodHandle socket =
            function(
                "socket",
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT));
        return (int) socket.invokeExact(errors, AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
      }

      long send(int socket, MemorySegment message, MemorySegment address) throws Throwable {
        MethodHandle sendTo =
            function(
                "sendto",
                FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT));
        return (long)
            sendTo.invokeExact(
                errors,
                socket,
                message,
                message.byteSize(),
                MSG_NOSIGNAL | MSG_DONTWAIT,
                address,
                (int) address.byteSize());
      }

      void close(int socket) throws Throwable {
        MethodHandle close =
            function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        int _ = (int) close.invokeExact(errors, socket);
      }

      /**
       * Returns a function; native access is granted when the program is started, by the manifest.
       */
      @SuppressWarnings("restricted")
      private MethodHandle function(String name, FunctionDescriptor descriptor) {
        return linker.downcallHandle(
            linker.defaultLookup().findOrThrow(name),
            descriptor,
            Linker.Option.captureCallState("errno"));
      }

      int error() {
        return (int) ERRNO.get(errors, 0L);
      }

      IOException failure(String doing) {
        return new IOException(doing + ": error " + error());
      }
    }

    private static final java.lang.invoke.VarHandle ERRNO =
        ERRORS.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** A call of the C library's functions. */
    private interface Call<T> {
      T with(Library library, Arena arena) throws Throwable;
    }

    private static <T> T call(Call<T> call) throws IOException {
      try (Arena arena = Arena.ofConfined()) {
        return call.with(new Library(Linker.nativeLinker(), arena.allocate(ERRORS)), arena);
      } catch (IOException | RuntimeException e) {
        throw e;
      } catch (Throwable e) {
        throw new IOException("this system does not support such sockets", e);
      }
    }

    /**
     * Creates a socket, which takes a file descriptor.
     *
     * @throws IOException if there is none left, or the system does not support such sockets
     */
    static UnixDatagram open() throws IOException {
      return call(
          (library, _) -> {
            int socket = library.socket();
            if (socket < 0) {
              throw library.failure("cannot create a socket");
            }
            return new UnixDatagram(socket);
          });
    }

    /**
     * Sends a text to the socket of an address; never waits.
     *
     * @param address a path, or {@code @} and a name in the abstract namespace
     * @return false if the receiver's queue is full; nothing was sent
     * @throws IOException if no process listens there, the address is invalid, or this is closed
     */
    synchronized boolean send(String address, String text) throws IOException {
      if (isClosed) {
        throw new IOException("the socket is closed");
      }
      return call(
          (library, arena) -> {
            MemorySegment to = address(arena, address);
            MemorySegment message = arena.allocateFrom(ValueLayout.JAVA_BYTE, text.getBytes(UTF_8));
            boolean isSent = library.send(socket, message, to) == message.byteSize();
            if (!isSent && library.error() != EAGAIN) {
              throw library.failure("cannot send");
            }
            return isSent;
          });
    }

    /** Closes the file descriptor. Idempotent. */
    @Override
    public synchronized void close() throws IOException {
      if (!isClosed) {
        isClosed = true;
        boolean _ =
            call(
                (library, _) -> {
                  library.close(socket);
                  return true;
                });
      }
    }

    /** Returns a struct sockaddr_un. */
    public static MemorySegment address(Arena arena, String address) throws IOException {
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
      // A path ends with a zero; the length of a name is that of the address.
      MemorySegment segment = arena.allocate(KIND_BYTES + path.length + (isAbstract ? 0 : 1), 2);
      segment.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
      MemorySegment.copy(MemorySegment.ofArray(path), 0, segment, KIND_BYTES, path.length);
      return segment;
    }
  }
}
