package org.nyala.service;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.error.ErrorMessages;

/**
 * The service manager that has started the process, if it wants to be told how the service is
 * (sd_notify(3)): systemd, and others that have taken over its protocol.
 *
 * <p>Nothing here waits for it. What it does not take is lost, but for the last that it was to know
 * of whether the service is ready, reloads or stops: this is told again until it is taken. The log
 * has one line when that begins and one when it is over.
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

  /** The state that it has not been told; empty where it knows. */
  private String owed = "";

  private boolean isUnheard;
  private boolean isStopping;

  /** Kept: a server that has no file descriptors left must not be taken for one that hangs. */
  private @Nullable UnixDatagram socket;

  private SystemdNotifier(@Nullable String address, boolean hasWatchdog, LongSupplier nanoClock) {
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

  /** Nobody. */
  public static SystemdNotifier none() {
    return new SystemdNotifier(null, false, () -> 0);
  }

  /** Tells that the service starts. */
  void starting() {
    tell(STATUS + "starting");
  }

  /** Tells that it starts or stops still, and may go on with that for some seconds. */
  void extend(long seconds) {
    tell(EXTEND + TimeUnit.SECONDS.toMicros(seconds));
  }

  /** Tells that it takes connections. */
  synchronized void ready(List<String> listeners) {
    status = STATUS + "serving " + String.join(" ", listeners);
    tellState(READY + "\n" + status);
  }

  /** Tells that it reads its configuration again; {@link #reloaded} follows. */
  void reloading() {
    tellState(
        "RELOADING=1\nMONOTONIC_USEC="
            + TimeUnit.NANOSECONDS.toMicros(nanoClock.getAsLong())
            + "\n"
            + STATUS
            + "reading the configuration again");
  }

  /** Tells that it has done so. */
  synchronized void reloaded() {
    tellState(READY + "\n" + status);
  }

  /** Tells that it stops, and how many seconds that may take. */
  synchronized void stopping(long seconds) {
    tellState("STOPPING=1\n" + STATUS + "stopping\n" + EXTEND + TimeUnit.SECONDS.toMicros(seconds));
    isStopping = true;
  }

  /** Tells that it is alive, where it is asked to, and before that what it was not told. */
  void alive() {
    if (hasWatchdog) {
      tell("WATCHDOG=1");
    } else {
      catchUp();
    }
  }

  /** Tells the state that it has not been told. To be called every second. */
  synchronized void catchUp() {
    if (!owed.isEmpty() && isSent(owed)) {
      owed = "";
    }
  }

  /** What it was to know before is of no use to it any more; what stops does nothing else. */
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
      note(isTaken, to, "it leaves unread what it is told");
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
      LOG.log(Level.INFO, "the service manager at {0} is told how the server is again", to);
    } else {
      LOG.log(
          Level.WARNING,
          "the service manager at {0} is not told anything: {1}; whether the server is ready, reloads or stops is tried again every second",
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
