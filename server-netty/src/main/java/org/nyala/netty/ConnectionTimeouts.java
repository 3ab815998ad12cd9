package org.nyala.netty;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The times since which one connection has been silent, and since which its client has read
 * nothing. As exact as the sweep that updates it.
 *
 * <p>Confined to the channel's event loop.
 */
final class ConnectionTimeouts {
  /** The time for a client to notice that it was asked to close. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * The time for clients that were asked to close and read nothing, if nothing else is configured.
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
   * Measures how much of a message has come and how much of the answers was sent. One byte now and
   * then is no progress: a client that sends and reads less than the rates in the time of a timeout
   * is too slow.
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
