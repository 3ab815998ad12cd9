package org.nyala.netty;

import java.util.concurrent.RejectedExecutionException;
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
}
