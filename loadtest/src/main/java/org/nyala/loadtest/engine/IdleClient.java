package org.nyala.loadtest.engine;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Holds a connection and does nothing with it. An operation is a connection held to the end of the
 * test, its time the time that it took to open it. Confined to the channel's event loop.
 */
final class IdleClient extends SingleClient {
  private long openingSinceNanos;
  private long openingNanos;

  IdleClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed, connection);
  }

  @Override
  void prepare() {
    openingSinceNanos = System.nanoTime();
    super.prepare();
  }

  @Override
  void ready(LoadConnection opened) {
    openingNanos = System.nanoTime() - openingSinceNanos;
    super.ready(opened);
  }

  @Override
  void next() {
    long untilEnd = statistics().endNanos() - System.nanoTime();
    Future<?> _ = loop().eventLoop().schedule(this::end, untilEnd, TimeUnit.NANOSECONDS);
  }

  private void end() {
    if (isRunning() && connection().isReady()) {
      long last = statistics().endNanos() - 1;
      completed(last - openingNanos, last - openingNanos, last);
      finish();
    }
  }

  @Override
  boolean waitsForAnswers() {
    return false;
  }

  /** Does nothing: there is no answer to wait for. */
  @Override
  void checkTimeOut(long nowNanos, long limitNanos) {}

  @Override
  void lost(LoadConnection broken) {
    super.lost(broken);
    openingSinceNanos = System.nanoTime();
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    answering.malformed();
  }
}
