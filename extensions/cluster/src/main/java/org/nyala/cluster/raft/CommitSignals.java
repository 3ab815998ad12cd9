package org.nyala.cluster.raft;

import static java.util.Objects.requireNonNull;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.jspecify.annotations.Nullable;

/**
 * The signals by which followers of this member learn that entries are committed: heartbeats, which
 * cost no disk.
 *
 * <p>By itself Ratis tells it with the next entry or heartbeat, up to half an election later; or by
 * a further entry for each commit, which every member writes to its disk as well.
 *
 * <p>Thread-safe.
 */
final class CommitSignals {
  /**
   * The time for which a commit is kept back, in which the next entry tells of it: a client's next
   * change is there in a millisecond, and copies may be some behind.
   */
  private static final long DELAY_MILLIS = 4;

  /**
   * The looks after a commit; then followers that are still behind learn of it as by themselves.
   */
  private static final int MOST_LOOKS = 25;

  /** The time after which a follower that does not answer gets no further signals. */
  private static final long SILENT_MILLIS = 1_000;

  private static final String PARAMETER = "nyala.commitSignals";

  private final Set<LogAppender> senders = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isDue = new AtomicBoolean();
  private final AtomicInteger looks = new AtomicInteger();
  private volatile @Nullable ScheduledExecutorService timer;

  /** The leadership whose senders they are; null before the first one. */
  private @Nullable LeaderState leadership;

  /** The transport of Ratis whose senders are known here; made by Ratis, by its name. */
  static final class Transport implements RpcType {
    @Override
    public String name() {
      return Transport.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
      CommitSignals signals = requireNonNull(parameters.get(PARAMETER, CommitSignals.class));
      return new GrpcFactory(parameters) {
        @Override
        public LogAppender newLogAppender(
            RaftServer.Division server, LeaderState leader, FollowerInfo follower) {
          LogAppender made = super.newLogAppender(server, leader, follower);
          signals.add(leader, made);
          return made;
        }
      };
    }
  }

  /** Has the server of the properties and parameters use it. */
  void install(RaftProperties properties, Parameters parameters) {
    RaftConfigKeys.Rpc.setType(properties, new Transport());
    parameters.put(PARAMETER, this, CommitSignals.class);
  }

  /** Keeps commits back from now on. */
  void start(ScheduledExecutorService shared) {
    timer = shared;
  }

  private synchronized void add(LeaderState now, LogAppender sender) {
    if (leadership != now) {
      leadership = now;
      senders.clear();
    }
    senders.add(sender);
  }

  /** Takes note of a commit of a change, of which followers learn soon. */
  void committed() {
    looks.set(0);
    lookSoon();
  }

  /** Has followers learn at once what is committed; sends nothing to those that know it. */
  void signal() {
    if (send()) {
      committed();
    }
  }

  /** Sends it, and looks again: a follower that has not yet written an entry cannot take it. */
  private void look() {
    isDue.set(false);
    if (send() && looks.incrementAndGet() < MOST_LOOKS) {
      lookSoon();
    }
  }

  private void lookSoon() {
    ScheduledExecutorService clock = timer;
    if (senders.isEmpty() || clock == null || !isDue.compareAndSet(false, true)) {
      return;
    }
    try {
      var _ = clock.schedule(this::look, DELAY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      isDue.set(false); // the member is closed
    }
  }

  /** Returns whether a follower that answers did not know of all that is committed. */
  private boolean send() {
    boolean isBehind = false;
    for (LogAppender sender : senders) {
      FollowerInfo follower = sender.getFollower();
      long committed = sender.getServer().getRaftLog().getLastCommittedIndex();
      // Those of a former leadership are kept until the next one, and have ended.
      if (sender.isRunning()
          && follower.getCommitIndex() < committed
          && follower.getLastRpcResponseTime().elapsedTimeMs() < SILENT_MILLIS) {
        sender.triggerHeartbeat();
        isBehind = true;
      }
    }
    return isBehind;
  }
}
