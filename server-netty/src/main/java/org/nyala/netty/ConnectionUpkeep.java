package org.nyala.netty;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Session;

/**
 * The periodic checks of one connection: its timeouts, and whether it can continue after it had to
 * wait for memory.
 *
 * <p>Confined to the channel's event loop, except for {@link #stuckBytes}, {@link #stillBytes},
 * {@link #endForMemory} and {@link #isEndedForMemory}, which any thread may call.
 */
final class ConnectionUpkeep {
  private final ConnectionHandler connection;
  private final ConnectionEnvironment environment;
  private final Session session;
  private final RequestIntake intake;
  private final ConnectionOutput output;
  private final ConnectionTimeouts timeouts;
  private long moved;
  private long movedNanos;
  private volatile long stuckBytes;
  private volatile long stillBytes;
  private volatile boolean isEndedForMemory;

  /** Begins with a connection that has just been opened. */
  ConnectionUpkeep(
      ConnectionHandler connection,
      ConnectionEnvironment environment,
      Session session,
      RequestIntake intake,
      ConnectionOutput output) {
    this.connection = connection;
    this.environment = environment;
    this.session = session;
    this.intake = intake;
    this.output = output;
    this.timeouts = new ConnectionTimeouts(environment.settingsNow());
  }

  /**
   * Takes in the present state of the connection.
   *
   * @param reads the number of times bytes have arrived
   * @param isActive true if it works for its client, or is not being read
   */
  void observe(long nowNanos, long reads, boolean isActive) {
    timeouts.observe(nowNanos, reads, isActive, output);
    timeouts.observeRates(nowNanos, intake, output);
    output.settle();
    observeMemory(nowNanos);
  }

  /**
   * Notes the memory that it holds without enough progress, and asks for relief if that is too
   * much.
   */
  private void observeMemory(long nowNanos) {
    long now = intake.received() + output.sent();
    long held = intake.heldBytes() + output.held();
    boolean isStuck =
        held > 0
            && now - moved
                <= ConnectionTimeouts.bytes(
                    environment.settings().rates().receiveBytesPerSecond(), nowNanos - movedNanos);
    moved = now;
    movedNanos = nowNanos;
    stuckBytes = isStuck ? held : 0;
    stillBytes = session.memory().held() - (isStuck ? 0 : held);
    boolean isShort = !session.memory().hasRoom() || session.memory().isOwnerNearlyFull();
    if (environment.directory().memory().isTight() || held > 0 && isShort) {
      environment.relief().want();
    }
  }

  /** Returns the bytes that it holds without making progress. Any thread. */
  long stuckBytes() {
    return stuckBytes;
  }

  /**
   * Returns the bytes that it holds, but for those on their way from or to a client that makes
   * progress. Any thread.
   */
  long stillBytes() {
    return stillBytes;
  }

  /** Ends a connection whose client was asked to close and has had enough time. */
  void endLinger(long nowNanos) {
    if (timeouts.isLingerExpired(nowNanos)) {
      connection.closeNow();
    }
  }

  /**
   * Ends the connection if its client has exceeded a timeout, and otherwise lets it continue if it
   * waits for memory: no notification is sent when there is room again.
   *
   * @param isBusy true if operations of the connection are in progress
   */
  void goOnOrEnd(long nowNanos, boolean isBusy) {
    if (isExpired(nowNanos)) {
      connection.closeNow();
    } else {
      goOnWithRoom(isBusy);
    }
  }

  /**
   * Resumes the connection if it is busy, or not being read, and there is memory. If there is none,
   * waiting operations only check their time limits.
   */
  private void goOnWithRoom(boolean isBusy) {
    if ((isBusy || !intake.isReading()) && session.memory().hasRoom()) {
      connection.goOn();
    } else if (isBusy) {
      connection.runInBurst(session::writable);
    }
  }

  /**
   * Reads the connection again if it is not being read, and lets its operations that wait for
   * memory continue, if there is some.
   *
   * @param hasOperations true if operations are in progress that no worker has to be asked about
   */
  void wake(boolean hasOperations) {
    if (!intake.isReading() && session.memory().hasRoom()) {
      connection.goOn();
    } else if (hasOperations) {
      connection.runInBurst(session::writable);
    }
  }

  private boolean isExpired(long nowNanos) {
    boolean isStalled = timeouts.isStalled(nowNanos);
    if (isStalled) {
      environment.directory().metrics().connectionsStalled().increment();
    }
    return isStalled
        || intake.hasBytes() && timeouts.isPartialExpired(nowNanos)
        || timeouts.isIdleExpired(nowNanos);
  }

  /** Ends the connection, soon, because it holds memory that others need. Any thread. */
  void endForMemory() {
    isEndedForMemory = true;
    environment.directory().memory().disconnected().increment();
    try {
      connection.executeLater(() -> connection.runInBurst(this::endNowForMemory));
    } catch (RejectedExecutionException e) {
      // Its loop has ended, and the connection with it, so nothing is left to end.
      isEndedForMemory = true;
    }
  }

  private void endNowForMemory() {
    boolean isUnread = output.isPending();
    connection.end(LdapResult.of(ResultCode.BUSY, "too much memory is held for this connection"));
    if (isUnread) {
      // The client would not read the notice.
      connection.closeNow();
    }
  }

  /** Returns whether it was asked to end because of memory. Any thread. */
  boolean isEndedForMemory() {
    return isEndedForMemory;
  }

  /**
   * The times since which one connection has been silent, and since which its client has read
   * nothing. As exact as the sweep that updates it.
   *
   * <p>Confined to the channel's event loop.
   */
  private static final class ConnectionTimeouts {
    /** The time for a client to notice that it was asked to close. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    /**
     * The time for clients that were asked to close and read nothing, if nothing else is
     * configured.
     */
    private static final long LAST_STALL_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Supplier<WireSettings> settings;
    private long readsSeen = -1;
    private long readNanos;
    private boolean isPending;
    private long progress;
    private long progressNanos;
    private final ByteRate receiving = new ByteRate();
    private final ByteRate sending = new ByteRate();
    private long consumed;
    private boolean isClosing;
    private long closingNanos;

    /**
     * Begins with a connection that has just been opened.
     *
     * @param settings supplies the timeouts of the moment
     */
    ConnectionTimeouts(Supplier<WireSettings> settings) {
      this.settings = settings;
    }

    /**
     * Takes in the present state of the connection.
     *
     * @param reads the number of times bytes have arrived
     */
    void observe(long nowNanos, long reads, boolean isActive, ConnectionOutput output) {
      if (reads != readsSeen || isActive) {
        readsSeen = reads;
        readNanos = nowNanos;
      }
      boolean pending = output.isPending();
      long now = output.progress();
      if (!pending || !isPending || now != progress) {
        progressNanos = nowNanos;
        progress = now;
      }
      isPending = pending;
    }

    /**
     * Measures how much of a message has come and how much of the answers was sent. One byte now
     * and then is no progress: a client that sends and reads less than the rates in the time of a
     * timeout is too slow.
     */
    void observeRates(long nowNanos, RequestIntake intake, ConnectionOutput output) {
      WireSettings now = settings.get();
      long taken = intake.received() - intake.waiting();
      boolean isPartial = intake.hasBytes() && intake.isReading() && taken == consumed;
      consumed = taken;
      receiving.observe(
          nowNanos,
          isPartial,
          intake.received(),
          now.timeouts().partialPduMillis(),
          now.rates().receiveBytesPerSecond());
      sending.observe(
          nowNanos,
          isPending,
          output.sent(),
          now.timeouts().writeStallMillis(),
          now.rates().sendBytesPerSecond());
    }

    /** Returns the number of bytes that a rate amounts to in some time. */
    static long bytes(int bytesPerSecond, long nanos) {
      return (long) ((double) bytesPerSecond * nanos / TimeUnit.SECONDS.toNanos(1));
    }

    /** A count of the bytes moved since a moment, while there were some to move. */
    private static final class ByteRate {
      private boolean isOpen;
      private long sinceNanos;
      private long since;
      private boolean isSlow;

      void observe(
          long nowNanos, boolean isWanted, long moved, long timeoutMillis, int bytesPerSecond) {
        boolean isOver =
            isOpen && isWanted && ConnectionTimeouts.isOver(timeoutMillis, nowNanos - sinceNanos);
        isSlow = isOver && moved - since < bytes(bytesPerSecond, nowNanos - sinceNanos);
        if (isOver || !isWanted || !isOpen) {
          sinceNanos = nowNanos;
          since = moved;
        }
        isOpen = isWanted;
      }
    }

    /** Returns whether nothing, or too little, has come for too long in the middle of a message. */
    boolean isPartialExpired(long nowNanos) {
      return receiving.isSlow
          || isOver(settings.get().timeouts().partialPduMillis(), nowNanos - readNanos);
    }

    /** Returns whether nothing has come for too long. */
    boolean isIdleExpired(long nowNanos) {
      return !isPending && isOver(settings.get().timeouts().idleMillis(), nowNanos - readNanos);
    }

    /** Returns whether the client has read nothing, or too little, for too long. */
    boolean isStalled(long nowNanos) {
      return sending.isSlow
          || isPending
              && isOver(settings.get().timeouts().writeStallMillis(), nowNanos - progressNanos);
    }

    private static boolean isOver(long timeoutMillis, long nanos) {
      return timeoutMillis > 0 && nanos >= TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    /** Returns whether a client that was asked to close has had enough time. */
    boolean isLingerExpired(long nowNanos) {
      if (!isClosing) {
        isClosing = true;
        closingNanos = nowNanos;
      }
      long allowed = isPending ? LAST_STALL_NANOS : LINGER_NANOS;
      return nowNanos - closingNanos >= allowed;
    }
  }
}
