package org.nyala.cluster.raft;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/**
 * The leadership on its way to another member: proposals are held meanwhile, for Ratis refuses
 * them. Thread-safe.
 */
final class Handover {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final RaftServer.Division division;
  private final PeerCalls calls;
  private final Proposals proposals;
  private final Duration timeout;
  private @Nullable List<Runnable> held;

  Handover(
      RaftServer.Division division, PeerCalls calls, Proposals proposals, RaftSettings settings) {
    this.division = division;
    this.calls = calls;
    this.proposals = proposals;
    this.timeout = settings.transferTimeout();
  }

  /** Runs what submits a proposal: now, or once leadership has been handed over or kept. */
  void submit(Runnable submission) {
    synchronized (this) {
      if (held != null) {
        held.add(submission);
        return;
      }
    }
    submission.run();
  }

  /**
   * Hands leadership over; waits until the other leads.
   *
   * @param to the member; null for the one whose log is the longest
   */
  void run(@Nullable UUID to) throws RaftException {
    synchronized (this) {
      if (held != null) {
        throw new RaftException("Leadership is being handed over already.");
      }
      held = new ArrayList<>();
    }
    try {
      long deadline = System.nanoTime() + timeout.toNanos();
      UUID next = to == null ? longest() : to;
      drain(deadline);
      transfer(next, deadline);
    } finally {
      release();
    }
  }

  private UUID longest() throws RaftException {
    return ClusterView.followers(division).stream()
        .max(Comparator.comparingLong(ClusterStatus.Peer::matched))
        .map(peer -> peer.address().id())
        .orElseThrow(
            () -> new RaftException("There is no other member that leadership could go to."));
  }

  /** Waits until nothing that was proposed is open: what is lost with leadership is unknown. */
  private void drain(long deadline) throws RaftException {
    while (proposals.count() > heldCount() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(LOOK_NANOS);
      if (Thread.interrupted()) {
        Thread.currentThread().interrupt();
        throw new RaftException("The transfer of leadership was interrupted.");
      }
    }
  }

  private synchronized int heldCount() {
    return held == null ? 0 : held.size();
  }

  private void transfer(UUID next, long deadline) throws RaftException {
    long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    TransferLeadershipRequest request =
        new TransferLeadershipRequest(
            proposals.client(),
            division.getId(),
            division.getMemberId().getGroupId(),
            proposals.nextCallId(),
            MemberAddress.peerId(next),
            millis);
    Throwable failure;
    try {
      CompletableFuture<RaftClientReply> reply = calls.admin().transferLeadershipAsync(request);
      failure = reply.get(2 * millis, TimeUnit.MILLISECONDS).getException();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RaftException("The transfer of leadership was interrupted.", e);
    } catch (IOException | ExecutionException | TimeoutException e) {
      failure = e;
    }
    if (failure != null) {
      throw new RaftException(
          "Leadership could not be handed over to the member "
              + next
              + " within "
              + timeout.toMillis()
              + " ms.",
          failure);
    }
  }

  private void release() {
    List<Runnable> released;
    synchronized (this) {
      released = held == null ? List.of() : held;
      held = null;
    }
    released.forEach(Runnable::run);
  }
}
