package org.nyala.cluster.raft;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/**
 * The settings of a member's log. Immutable.
 *
 * <p>What is not a field has one right value here, given in {@link #toProperties} with its reason.
 * Times must be the same on all members, or nearly so.
 *
 * @param electionMin the shortest time without a leader after which a member stands for election:
 *     500 ms, for pauses of the garbage collector and slow disks are shorter; heartbeats come twice
 *     in it
 * @param electionMax the longest such time, and that after which a leader without a majority steps
 *     down: 1,000 ms
 * @param proposalTimeout the time after which a proposal that waits is told to be unknown, and a
 *     barrier or a change of members fails: 10 s, longer than any election
 * @param transferTimeout the time for which proposals are held while leadership is handed over: 2 s
 * @param keptFor the time for which entries are kept for members that are away: 1 hour, longer than
 *     a restart or a repair; who is away longer fetches a copy
 * @param keptBytes the size of the log from which on entries are dropped before their time: 4 GiB
 * @param segmentBytes the size of a file of the log: 16 MiB, for only whole files are dropped
 * @param listen the address where the member listens; empty for all, as one does that does not know
 *     by which the others come
 * @param alarms from when on a member is told to be silent or behind
 */
public record RaftSettings(
    Duration electionMin,
    Duration electionMax,
    Duration proposalTimeout,
    Duration transferTimeout,
    Duration keptFor,
    long keptBytes,
    int segmentBytes,
    String listen,
    AlarmLimits alarms) {
  /**
   * The limits of alarms about other members. Immutable.
   *
   * @param silent the time without an answer: 10 s, longer than most restarts
   * @param lagEntries the entries that a member lacks: 10,000, which take it some seconds; a leader
   *     that fails then leaves one less to take over at once
   */
  public record AlarmLimits(Duration silent, long lagEntries) {
    /** The usual limits. */
    public static final AlarmLimits DEFAULT = new AlarmLimits(Duration.ofSeconds(10), 10_000);

    /** Checks the bounds. */
    public AlarmLimits {
      if (silent.toMillis() < 1 || lagEntries < 1) {
        throw new IllegalArgumentException("Limits of alarms are 1 at least.");
      }
    }
  }

  /** The values of a cluster in one data centre. */
  public static final RaftSettings DEFAULT =
      new RaftSettings(
          Duration.ofMillis(500),
          Duration.ofMillis(1_000),
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          Duration.ofHours(1),
          4L << 30,
          16 << 20,
          "",
          AlarmLimits.DEFAULT);

  /** The largest entry in bytes: with its frame it fits what the appender sends at once. */
  public static final int MOST_BYTES = 30 << 20;

  /** The largest message between members in bytes: two entries, and what is around them. */
  static final int MOST_MESSAGE_BYTES = 72 << 20;

  private static final long MOST_REQUEST_MILLIS = 900_000;
  private static final SizeInBytes APPENDED_BYTES = SizeInBytes.valueOf("32MB");

  /** Checks the bounds. */
  public RaftSettings {
    if (electionMin.toMillis() < 50 || electionMax.toMillis() <= electionMin.toMillis()) {
      throw new IllegalArgumentException(
          "Elections begin after at least 50 ms, and the longest time is above the shortest; found "
              + electionMin.toMillis()
              + " and "
              + electionMax.toMillis()
              + " ms.");
    }
    if (segmentBytes < 64 << 10 || keptBytes < segmentBytes) {
      throw new IllegalArgumentException(
          "A file of the log has at least 64 KiB, and the log at least one file; found "
              + segmentBytes
              + " and "
              + keptBytes
              + " bytes.");
    }
  }

  /** Returns these settings with other times of elections. */
  public RaftSettings withElections(Duration shortest, Duration longest) {
    return new RaftSettings(
        shortest,
        longest,
        proposalTimeout,
        transferTimeout,
        keptFor,
        keptBytes,
        segmentBytes,
        listen,
        alarms);
  }

  /** Returns these settings with another time after which a proposal is unknown. */
  public RaftSettings withProposalTimeout(Duration timeout) {
    return new RaftSettings(
        electionMin,
        electionMax,
        timeout,
        transferTimeout,
        keptFor,
        keptBytes,
        segmentBytes,
        listen,
        alarms);
  }

  /** Returns these settings with another amount of log that is kept. */
  public RaftSettings withKept(Duration time, long bytes, int fileBytes) {
    return new RaftSettings(
        electionMin,
        electionMax,
        proposalTimeout,
        transferTimeout,
        time,
        bytes,
        fileBytes,
        listen,
        alarms);
  }

  /** Returns these settings with another address where the member listens. */
  public RaftSettings withListen(String address) {
    return new RaftSettings(
        electionMin,
        electionMax,
        proposalTimeout,
        transferTimeout,
        keptFor,
        keptBytes,
        segmentBytes,
        address,
        alarms);
  }

  /** Returns these settings with other limits of alarms. */
  public RaftSettings withAlarms(AlarmLimits limits) {
    return new RaftSettings(
        electionMin,
        electionMax,
        proposalTimeout,
        transferTimeout,
        keptFor,
        keptBytes,
        segmentBytes,
        listen,
        limits);
  }

  /** Returns the properties of the server whose folder is given. */
  RaftProperties toProperties(Path folder, int port, Precautions precautions) {
    RaftProperties p = new RaftProperties();
    // The folders default to temporary ones.
    RaftServerConfigKeys.setStorageDir(p, List.of(folder.resolve("log").toFile()));
    RaftServerConfigKeys.setRemovedGroupsDir(p, folder.resolve("removed").toFile());
    times(p);
    // A follower acknowledges what it never appended if appends are composed.
    RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(
        p, !precautions.contains(Precautions.Kind.APPENDS_APART));
    // A further entry for each commit, which all write to their disks; see CommitSignals.
    RaftServerConfigKeys.Log.setLogMetadataEnabled(p, false);
    sizes(p);
    // The state is fetched by its own transfer; the log is dropped by this member, by time and
    // size.
    RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(p, false);
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(p, false);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(p, true);
    RaftServerConfigKeys.Log.setPurgeGap(p, 1);
    // Damage of the log is an error to be told, never a shorter log.
    RaftServerConfigKeys.Log.setCorruptionPolicy(
        p, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
    RaftServerConfigKeys.Read.setOption(
        p,
        precautions.contains(Precautions.Kind.BARRIER_ENTRIES)
            ? RaftServerConfigKeys.Read.Option.DEFAULT
            : RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    GrpcConfigKeys.Server.setPort(p, port);
    if (!listen.isEmpty()) {
      GrpcConfigKeys.Server.setHost(p, listen);
    }
    GrpcConfigKeys.setMessageSizeMax(p, SizeInBytes.valueOf(MOST_MESSAGE_BYTES));
    // Each request between members has a time of its own, below this one.
    RaftClientConfigKeys.Rpc.setRequestTimeout(p, millis(MOST_REQUEST_MILLIS));
    return p;
  }

  private void times(RaftProperties p) {
    RaftServerConfigKeys.Rpc.setTimeoutMin(p, millis(electionMin.toMillis()));
    RaftServerConfigKeys.Rpc.setTimeoutMax(p, millis(electionMax.toMillis()));
    // After its start a member need not wait for longer: nobody led by it is disturbed.
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(p, millis(electionMin.toMillis()));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(
        p, millis(Math.min(2 * electionMin.toMillis(), electionMax.toMillis())));
    // A proposal that is not answered within it is sent again: as long as an election.
    RaftServerConfigKeys.Rpc.setRequestTimeout(p, millis(3 * electionMax.toMillis()));
    // A member that overslept by more stands for no election: 300 ms is any busy processor.
    RaftServerConfigKeys.setSleepDeviationThreshold(p, millis(2_000));
    // After a longer pause the server closes for good: a stopped process must come back.
    RaftServerConfigKeys.setCloseThreshold(p, TimeDuration.valueOf(3_650, TimeUnit.DAYS));
    // A leader that lost its majority stands for no election so long; 10 s is too long.
    RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(p, millis(2_000));
    // Each member keeps one element for each entry: nothing here is ever tried twice.
    RaftServerConfigKeys.RetryCache.setExpiryTime(p, millis(3_000));
    RaftServerConfigKeys.Read.ReadAfterWriteConsistent.setWriteIndexCacheExpiryTime(
        p, millis(3_000));
  }

  private void sizes(RaftProperties p) {
    // The end of a follower's log that others have not is found one entry after the other, each an
    // error: 10 ms apart, not a second. One that comes back is tried every second at least.
    RaftServerConfigKeys.Log.Appender.setRetryPolicy(p, "1ms,20, 10ms,500, 1s,1000000");
    // One entry above the limit of the appender makes the leader step down.
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(p, APPENDED_BYTES);
    RaftServerConfigKeys.Log.setWriteBufferSize(p, SizeInBytes.valueOf("33MB"));
    RaftServerConfigKeys.Log.setQueueByteLimit(p, APPENDED_BYTES);
    RaftServerConfigKeys.Log.setSegmentSizeMax(p, SizeInBytes.valueOf(segmentBytes));
    RaftServerConfigKeys.Log.setPreallocatedSize(
        p, SizeInBytes.valueOf(Math.min(segmentBytes, 4 << 20)));
    // Entries for followers that are a little behind; the default is 200 MB of heap.
    RaftServerConfigKeys.Log.setSegmentCacheSizeMax(p, APPENDED_BYTES);
  }

  private static TimeDuration millis(long millis) {
    return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
  }
}
