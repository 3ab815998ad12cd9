package org.nyala.loadtest.jmh;

import io.netty.channel.EventLoop;
import org.nyala.core.dispatch.ConnectionLoopHistory;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.DispatchStrategy.DecodePlacement;

/**
 * A connection of a synthetic load: its client sends a request once the last one is answered.
 *
 * <p>Confined to the channel's event loop, but for {@link #decode}, {@link #answer}, {@link
 * #giveSessionBack}, {@link #isClosing} and {@link #executeLater}, which any thread may call.
 */
final class SyntheticConnection {
  /** The time that the decoder takes for a search. */
  private static final long DECODING_NANOS = 100;

  private final ConnectionLoopHistory loopHistory = new ConnectionLoopHistory();
  private final SyntheticLoad load;
  private final SyntheticLoop loop;
  private final EventLoop eventLoop;
  private final int number;
  private final boolean workerDecodes;
  private final Runnable request = this::request;
  private final Runnable answered = this::answered;
  private final Runnable takeBack = this::takeSessionBack;
  private boolean isLent;
  private long random;
  private long sentNanos;

  /** Creates a connection that sends nothing yet. */
  SyntheticConnection(SyntheticLoad load, SyntheticLoop loop, int number) {
    this.load = load;
    this.loop = loop;
    this.eventLoop = loop.eventLoop();
    this.number = number;
    this.workerDecodes = load.strategy().decodePlacement() == DecodePlacement.WORKER;
    this.random = number * 0x9E3779B97F4A7C15L | 1;
  }

  /** Starts the client. Any thread. */
  void open() {
    sentNanos = System.nanoTime();
    eventLoop.execute(request);
  }

  private void request() {
    if (load.isClosing()) {
      load.closed();
      return;
    }
    if (!workerDecodes) {
      decode();
    }
    isLent = workerDecodes;
    DispatchStrategy strategy = load.strategy();
    // A wait for a permit changes nothing: the client sends no more before the answer.
    boolean _ =
        strategy.dispatch(
            new SyntheticOperation(this, load.work(), load.cost(), isRare(), !workerDecodes));
  }

  /** Xorshift64. */
  private boolean isRare() {
    long x = random;
    x ^= x << 13;
    x ^= x >>> 7;
    x ^= x << 17;
    random = x;
    return Long.remainderUnsigned(x, load.cost().oneIn()) == 0;
  }

  /** Spends the time that it takes to decode a request. */
  void decode() {
    load.work().compute(DECODING_NANOS);
  }

  /** Gives the session back to the event loop if a worker decodes, which then has the session. */
  void giveSessionBack() {
    eventLoop.execute(takeBack);
  }

  private void takeSessionBack() {
    isLent = false;
  }

  /** Brings the answer to the event loop. */
  void answer() {
    if (eventLoop.inEventLoop()) {
      answered();
    } else {
      eventLoop.execute(answered);
    }
  }

  /** Takes the answer and sends the next request, which is read in one of the loop's next turns. */
  private void answered() {
    if (isLent) {
      throw new IllegalStateException("answered before the session was given back");
    }
    long now = System.nanoTime();
    loop.completed(now - sentNanos);
    sentNanos = now;
    eventLoop.execute(request);
  }

  /** Returns whether the load ends, so that no client waits for answers. */
  boolean isClosing() {
    return load.isClosing();
  }

  void executeLater(Runnable work) {
    eventLoop.execute(work);
  }

  /** The history of its operations on the event loop; on the loop. */
  ConnectionLoopHistory loopHistory() {
    return loopHistory;
  }

  int number() {
    return number;
  }
}
