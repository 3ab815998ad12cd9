package org.nyala.cli;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The service manager that has started the process, if it wants to be told how the service is
 * (sd_notify(3)): systemd, and others that have taken over its protocol.
 *
 * <p>Thread-safe. What cannot be told is in the log, once.
 */
final class ServiceManager implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ServiceManager.class.getName());
  private static final String SOCKET = "NOTIFY_SOCKET";
  private static final String WATCHDOG_MICROS = "WATCHDOG_USEC";
  private static final String WATCHDOG_PID = "WATCHDOG_PID";
  private static final String STATUS = "STATUS=";
  private static final String READY = "READY=1";
  private static final String EXTEND = "EXTEND_TIMEOUT_USEC=";

  private final @Nullable String address;
  private final boolean hasWatchdog;
  private final LongSupplier nanoClock;
  private final AtomicBoolean isBroken = new AtomicBoolean();
  private volatile String status = "";

  /** Kept: a server that has no file descriptors left must not be taken for one that hangs. */
  private @Nullable UnixDatagram socket;

  private ServiceManager(@Nullable String address, boolean hasWatchdog, LongSupplier nanoClock) {
    this.address = address;
    this.hasWatchdog = hasWatchdog;
    this.nanoClock = nanoClock;
  }

  /**
   * The one that an environment names; nobody where it names none.
   *
   * @param pid this process: a watchdog may be meant for another one
   * @param nanoClock CLOCK_MONOTONIC, which System.nanoTime() is on Linux
   */
  static ServiceManager of(Map<String, String> environment, long pid, LongSupplier nanoClock) {
    String socket = environment.get(SOCKET);
    String meant = environment.getOrDefault(WATCHDOG_PID, "");
    boolean hasWatchdog =
        !environment.getOrDefault(WATCHDOG_MICROS, "").isEmpty()
            && (meant.isEmpty() || meant.equals(Long.toString(pid)));
    return new ServiceManager(
        socket == null || socket.isEmpty() ? null : socket, hasWatchdog, nanoClock);
  }

  /** Nobody. */
  static ServiceManager none() {
    return new ServiceManager(null, false, () -> 0);
  }

  /** Tells that the service starts. */
  void starting() {
    send(STATUS + "starting");
  }

  /** Tells that it starts or stops still, and may go on with that for some seconds. */
  void extend(long seconds) {
    send(EXTEND + TimeUnit.SECONDS.toMicros(seconds));
  }

  /** Tells that it takes connections. */
  void ready(List<String> listeners) {
    status = STATUS + "serving " + String.join(" ", listeners);
    send(READY + "\n" + status);
  }

  /** Tells that it reads its configuration again; {@link #reloaded} follows. */
  void reloading() {
    send(
        "RELOADING=1\nMONOTONIC_USEC="
            + TimeUnit.NANOSECONDS.toMicros(nanoClock.getAsLong())
            + "\n"
            + STATUS
            + "reading the configuration again");
  }

  /** Tells that it has done so. */
  void reloaded() {
    send(READY + "\n" + status);
  }

  /** Tells that it stops, and how many seconds that may take. */
  void stopping(long seconds) {
    send("STOPPING=1\n" + STATUS + "stopping\n" + EXTEND + TimeUnit.SECONDS.toMicros(seconds));
  }

  /** Tells that it is alive, where it is asked to. */
  void alive() {
    if (hasWatchdog) {
      send("WATCHDOG=1");
    }
  }

  private void send(String text) {
    String to = address;
    if (to == null) {
      return;
    }
    try {
      socket().send(to, text);
    } catch (IOException | RuntimeException e) {
      if (isBroken.compareAndSet(false, true)) {
        LOG.log(
            Level.WARNING,
            "the service manager at {0} is not told anything: {1}",
            to,
            e.getMessage());
      }
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

  /** Tells nothing more. */
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
}
