package org.nyala.loadtest.jmh;

import io.netty.channel.EventLoop;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * An event loop of a synthetic load, and its counts. Confined to the event loop, but for reading
 * the counts.
 */
final class SyntheticLoop {
  private static final long LATENCY_MAXIMUM_NANOS = 600_000_000_000L;
  private static final int DIGITS = 3;

  private final EventLoop eventLoop;
  private final AtomicLong completed = new AtomicLong();
  private final SingleWriterRecorder latencies =
      new SingleWriterRecorder(LATENCY_MAXIMUM_NANOS, DIGITS);

  SyntheticLoop(EventLoop eventLoop) {
    this.eventLoop = eventLoop;
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  /** Counts an answer. */
  void completed(long nanos) {
    latencies.recordValue(Math.clamp(nanos, 0, LATENCY_MAXIMUM_NANOS));
    // This thread is the only writer: release order is enough for readers.
    completed.setRelease(completed.getPlain() + 1);
  }

  /** The number of answers. Any thread. */
  long completed() {
    return completed.getAcquire();
  }

  /** Moves the latencies since the last time to {@code sum}. Any one thread at a time. */
  void addLatencies(Histogram sum) {
    sum.add(latencies.getIntervalHistogram());
  }
}
