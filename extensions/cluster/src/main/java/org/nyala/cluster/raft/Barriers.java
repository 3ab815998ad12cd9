package org.nyala.cluster.raft;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeerId;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;

/**
 * The barriers of this member: entries without bytes, one for all calls that wait. Thread-safe.
 *
 * <p>A call may share a barrier that is appended after it only: those that come while one is on its
 * way wait for the next.
 */
final class Barriers {
  private static final long AGAIN_MILLIS = 20;

  private final Proposals proposals;
  private final PeerCalls calls;
  private final Deliveries deliveries;
  private final ScheduledExecutorService timer;
  private final Duration attempt;
  private final Duration timeout;
  private @Nullable CompletableFuture<LogPosition> running;
  private @Nullable CompletableFuture<LogPosition> next;

  Barriers(
      Proposals proposals,
      PeerCalls calls,
      Deliveries deliveries,
      ScheduledExecutorService timer,
      RaftSettings settings) {
    this.proposals = proposals;
    this.calls = calls;
    this.deliveries = deliveries;
    this.timer = timer;
    this.attempt = settings.electionMax();
    this.timeout = settings.proposalTimeout();
  }

  CompletableFuture<LogPosition> call() {
    CompletableFuture<LogPosition> group;
    synchronized (this) {
      if (running != null) {
        if (next == null) {
          next = new CompletableFuture<>();
        }
        return next;
      }
      group = new CompletableFuture<>();
      running = group;
    }
    begin(group);
    return group;
  }

  private void begin(CompletableFuture<LogPosition> group) {
    var _ = group.whenComplete((at, e) -> ended());
    attempt(group, System.nanoTime() + timeout.toNanos(), null);
  }

  private void ended() {
    CompletableFuture<LogPosition> group;
    synchronized (this) {
      group = next;
      running = group;
      next = null;
    }
    if (group != null) {
      begin(group);
    }
  }

  private void attempt(
      CompletableFuture<LogPosition> group, long deadlineNanos, @Nullable Throwable last) {
    long left = deadlineNanos - System.nanoTime();
    if (left <= 0) {
      group.completeExceptionally(
          new RaftException(
              "No leader has answered within " + timeout.toMillis() + " ms.",
              last == null ? new IllegalStateException("no leader is known") : last));
      return;
    }
    RaftPeerId leader = calls.leader();
    if (leader == null) {
      again(group, deadlineNanos, last);
      return;
    }
    RaftClientRequest request = proposals.barrier(leader, proposals.nextCallId());
    var _ =
        calls
            .send(request)
            .orTimeout(Math.min(left, attempt.toNanos()), TimeUnit.NANOSECONDS)
            .whenComplete(
                (reply, e) -> {
                  proposals.answered(request.getCallId());
                  if (e == null) {
                    reach(group, reply, deadlineNanos);
                  } else {
                    again(group, deadlineNanos, e);
                  }
                });
  }

  private void reach(
      CompletableFuture<LogPosition> group, RaftClientReply reply, long deadlineNanos) {
    var _ =
        deliveries
            .reached(reply.getLogIndex())
            .orTimeout(Math.max(1, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS)
            .whenComplete(
                (at, e) -> {
                  if (e == null) {
                    group.complete(at);
                  } else {
                    group.completeExceptionally(
                        new RaftException(
                            "The state has not come to entry "
                                + reply.getLogIndex()
                                + " within "
                                + timeout.toMillis()
                                + " ms.",
                            e));
                  }
                });
  }

  private void again(
      CompletableFuture<LogPosition> group, long deadlineNanos, @Nullable Throwable last) {
    try {
      var _ =
          timer.schedule(
              () -> attempt(group, deadlineNanos, last), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      group.completeExceptionally(new RaftException("The member is closed.", e));
    }
  }
}
