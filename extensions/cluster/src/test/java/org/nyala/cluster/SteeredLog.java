package org.nyala.cluster;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * A log that does what a test says, and the wait of the writer, during which the test goes on. All
 * of it on the thread of the test.
 */
final class SteeredLog implements ReplicatedLog, Waiting {
  /** A proposal that was made. */
  record Proposed(long term, ByteBuffer entry, CompletableFuture<Outcome> outcome) {}

  final List<Proposed> proposed = new ArrayList<>();
  final Deque<Runnable> steps = new ArrayDeque<>();
  final List<LogPosition> kept = new ArrayList<>();
  final List<String> failures = new ArrayList<>();
  int mostBytes = 1 << 20;
  private long nanos;

  @Override
  public CompletionStage<Outcome> propose(long term, ByteBuffer entry) {
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    proposed.add(new Proposed(term, entry, outcome));
    return outcome;
  }

  Proposed last() {
    return proposed.getLast();
  }

  /** Has the following happen while the writer waits. */
  SteeredLog then(Runnable step) {
    steps.add(step);
    return this;
  }

  @Override
  public int mostBytes() {
    return mostBytes;
  }

  @Override
  public CompletionStage<LogPosition> barrier() {
    return CompletableFuture.failedFuture(new UnsupportedOperationException());
  }

  @Override
  public void kept(LogPosition upTo) {
    kept.add(upTo);
  }

  @Override
  public void failed(String reason) {
    failures.add(reason);
  }

  @Override
  public void close() {
    // Nothing is open.
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public void await(long untilNanos) {
    Runnable step = steps.poll();
    if (step == null) {
      nanos = untilNanos;
    } else {
      nanos += TimeUnit.MILLISECONDS.toNanos(1);
      step.run();
    }
  }

  @Override
  public void wake(Thread waiter) {
    // The wait ends after each step.
  }
}
