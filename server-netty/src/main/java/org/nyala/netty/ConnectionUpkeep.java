package org.nyala.netty;

import java.util.concurrent.RejectedExecutionException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Session;

/**
 * What is looked at of one connection now and then: its timeouts, and whether it can go on that had
 * to wait for memory.
 *
 * <p>Confined to the channel's event loop, but for {@link #stuckBytes}, {@link #endForMemory} and
 * {@link #isEndedForMemory}, which any thread may call.
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
   * Looks at the connection as it is now.
   *
   * @param reads how often bytes have arrived
   * @param isActive whether it does something for its client, or does not listen to it
   */
  void observe(long nowNanos, long reads, boolean isActive) {
    timeouts.observe(nowNanos, reads, isActive, output);
    timeouts.observeRates(nowNanos, intake, output);
    output.settle();
    observeMemory(nowNanos);
  }

  /** Notes what it holds without that much moves, and asks for relief where that is too much. */
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
    if (environment.directory().memory().isTight() || held > 0 && !session.memory().hasRoom()) {
      environment.relief().want();
    }
  }

  /** What it holds and does not get rid of, in bytes. Any thread. */
  long stuckBytes() {
    return stuckBytes;
  }

  /** Ends a connection whose client was told to go and has had enough time. */
  void endLinger(long nowNanos) {
    if (timeouts.isLingerExpired(nowNanos)) {
      connection.closeNow();
    }
  }

  /**
   * Ends the connection where its client has exceeded a time, and else has it go on if it waits for
   * memory: nobody tells that there is room again.
   *
   * @param isBusy whether operations of the connection are under way
   */
  void goOnOrEnd(long nowNanos, boolean isBusy) {
    if (isExpired(nowNanos)) {
      connection.closeNow();
    } else {
      goOnWithRoom(isBusy);
    }
  }

  /**
   * Has the connection go on where it is busy, or not read, and there is memory. Where there is
   * none, operations that wait look at their time limits only.
   */
  private void goOnWithRoom(boolean isBusy) {
    if ((isBusy || !intake.isReading()) && session.memory().hasRoom()) {
      connection.goOn();
    } else if (isBusy) {
      connection.runInBurst(session::writable);
    }
  }

  /**
   * Has the connection read again where it is not read, and its operations go on that wait for
   * memory, if there is some.
   *
   * @param hasOperations whether operations are under way that no worker has to be asked about
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

  /** Ends the connection, soon: it holds memory that others need. Any thread. */
  void endForMemory() {
    isEndedForMemory = true;
    environment.directory().memory().disconnected().increment();
    try {
      connection.executeLater(() -> connection.runInBurst(this::endNowForMemory));
    } catch (RejectedExecutionException e) {
      // Its loop has ended, and the connection with it: there is nothing left to end.
      isEndedForMemory = true;
    }
  }

  private void endNowForMemory() {
    boolean isUnread = output.isPending();
    connection.end(LdapResult.of(ResultCode.BUSY, "too much memory is held for this connection"));
    if (isUnread) {
      // Nobody would read the notice.
      connection.closeNow();
    }
  }

  /** Whether it was told to end for that. Any thread. */
  boolean isEndedForMemory() {
    return isEndedForMemory;
  }
}
