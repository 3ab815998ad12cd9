package org.nyala.cluster.node;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.nyala.cluster.raft.ClusterStatus;
import org.nyala.cluster.raft.RaftException;
import org.nyala.cluster.raft.RaftMember;

/** The way of a member out of leadership before a planned stop. Stateless. */
final class Retreat {
  /** The wait for the new leader's first entry: an election lasts less. */
  private static final Duration SERVING = Duration.ofSeconds(5);

  private Retreat() {}

  /**
   * Hands leadership over, if the member leads and is not alone; waits until the other one makes
   * changes.
   *
   * @return whether it led
   * @throws RaftException if no other member leads in time
   */
  static boolean run(RaftMember member) throws RaftException {
    ClusterStatus status = member.status();
    if (status.role() != ClusterStatus.Role.LEADER || status.members().size() < 2) {
      return false;
    }
    try {
      member.transfer(null);
    } catch (RaftException e) {
      if (member.status().role() != ClusterStatus.Role.LEADER) {
        return false; // another one was elected meanwhile
      }
      // The other one may have been behind, or busy; it is given a second time.
      member.transfer(null);
    }
    try {
      // Its answer comes from the new leader, once it has everything that was committed before.
      var _ = member.barrier().toCompletableFuture().get(SERVING.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new RaftException("Another member leads, and makes no changes yet.", e);
    }
    return true;
  }
}
