package org.nyala.cluster.raft;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.raft.ClusterStatus.Alarm;
import org.nyala.cluster.raft.ClusterStatus.Peer;

/**
 * The looks at a member's log from time to time: proposals that wait too long, a log that has ended
 * in silence, entries that may be dropped, alarms. {@link #look} is confined to one thread, the
 * rest is thread-safe.
 */
final class Watch {
  private static final System.Logger LOG = System.getLogger(Watch.class.getName());

  /** The time between two looks. */
  static final long LOOK_MILLIS = 100;

  private static final long ALARM_NANOS = Duration.ofMillis(500).toNanos();
  private static final long DROP_NANOS = Duration.ofSeconds(5).toNanos();

  /** The longest times without a leader after which what does not move is told: 5 s. */
  private static final int STILL_ELECTIONS = 5;

  /** The time for a better reason of a log that has ended. */
  private static final Duration ENDED = Duration.ofSeconds(1);

  private final RaftServer.Division division;
  private final Deliveries deliveries;
  private final Proposals proposals;
  private final EntryMachine machine;
  private final Acknowledged acknowledged;
  private final MemberFolder folder;
  private final RaftSettings settings;
  private final Precautions precautions;
  private final Consumer<Throwable> end;

  private final Map<UUID, Still> others = new HashMap<>();
  private final Map<UUID, Still> behind = new HashMap<>();
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();
  private final Duration still;
  private final Still ended = new Still();
  private @Nullable RaftPeerId seenLeader;
  private final Still own = new Still();
  private final Still leaderless = new Still();
  private volatile List<Alarm> alarms = List.of();
  private long alarmed = System.nanoTime();
  private long dropped = System.nanoTime();

  /** The last entry at a time. */
  private record Sample(long nanos, long last) {}

  /** A number and since when it has not moved. */
  private static final class Still {
    private long value = Long.MIN_VALUE;
    private long since;

    /** Returns for how long the value has been the same. */
    Duration at(long now, long current) {
      if (current != value) {
        value = current;
        since = now;
      }
      return Duration.ofNanos(now - since);
    }
  }

  Watch(
      RaftServer.Division division,
      Deliveries deliveries,
      Proposals proposals,
      EntryMachine machine,
      Acknowledged acknowledged,
      MemberFolder folder,
      RaftSettings settings,
      Precautions precautions,
      Consumer<Throwable> end) {
    this.division = division;
    this.deliveries = deliveries;
    this.proposals = proposals;
    this.machine = machine;
    this.acknowledged = acknowledged;
    this.folder = folder;
    this.settings = settings;
    this.still = settings.electionMax().multipliedBy(STILL_ELECTIONS);
    this.precautions = precautions;
    this.end = end;
  }

  List<Alarm> alarms() {
    return alarms;
  }

  void look() {
    try {
      long now = System.nanoTime();
      if (precautions.contains(Precautions.Kind.DEADLINE)) {
        proposals.overdue(now).forEach(proposal -> deliveries.outcome(proposal, true));
      }
      // A division may be closed while its server says that it runs.
      LifeCycle.State state = division.getInfo().getLifeCycleState();
      boolean hasEnded = state.isClosingOrClosed() || state == LifeCycle.State.EXCEPTION;
      if (ended.at(now, hasEnded ? 1 : 0).compareTo(ENDED) > 0 && hasEnded) {
        end.accept(new RaftException("The member's log has ended by itself."));
        return;
      }
      renewConnections();
      acknowledged.note();
      if (now - alarmed >= ALARM_NANOS) {
        alarmed = now;
        alarm(now);
      }
      if (now - dropped >= DROP_NANOS) {
        dropped = now;
        drop(now);
      }
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "A look at the member's log has failed.", e);
    }
  }

  /**
   * Drops the connections of a follower to the others once it has a leader: they serve elections
   * only. gRPC tries one that has failed again after up to two minutes, so that a vote for a member
   * whose restart it has missed would fail at once; a new one is tried at once.
   */
  private void renewConnections() {
    RaftPeerId leader = division.getInfo().getLeaderId();
    boolean isNew = leader != null && !leader.equals(seenLeader);
    seenLeader = leader;
    if (!isNew || division.getId().equals(leader)) {
      return;
    }
    var _ =
        CompletableFuture.runAsync(
            () -> {
              for (RaftPeer peer : division.getRaftConf().getCurrentPeers()) {
                if (!peer.getId().equals(division.getId()) && !division.getInfo().isLeader()) {
                  division
                      .getRaftServer()
                      .getServerRpc()
                      .handleException(peer.getId(), new IOException(), true);
                }
              }
            });
  }

  /** Drops entries that the state keeps: old ones, and younger ones if the log is too large. */
  private void drop(long now) {
    long last = ClusterView.last(division);
    samples.add(new Sample(now, last));
    long old = -1;
    while (!samples.isEmpty() && now - samples.peek().nanos > settings.keptFor().toNanos()) {
      old = samples.remove().last;
    }
    long upTo = folder.logBytes() > settings.keptBytes() ? last : old;
    // The entry that the state was last changed by stays: a copy of it goes on after that one.
    long index = Math.min(upTo, machine.kept() - 1);
    if (index >= 0) {
      var _ = division.getRaftLog().purge(index);
    }
  }

  private void alarm(long now) {
    List<Alarm> found = new ArrayList<>();
    UUID self = MemberAddress.id(division.getId());
    Throwable failure = deliveries.failure();
    if (failure != null) {
      found.add(new Alarm(Alarm.Kind.FAILED, self, String.valueOf(failure.getMessage())));
    }
    boolean isMember = division.getRaftConf().getPeer(division.getId()) != null;
    boolean isLed = !isMember || division.getInfo().getLeaderId() != null;
    if (leaderless.at(now, isLed ? now : 0).compareTo(still) > 0) {
      found.add(
          new Alarm(
              Alarm.Kind.NO_LEADER,
              self,
              "No member leads: changes are refused, reads go on. Start the members that are"
                  + " away, or mend the network between them."));
    }
    long applied = deliveries.applied().index();
    boolean isBehind = applied < ClusterView.committed(division);
    if (own.at(now, isBehind ? applied : -2).compareTo(still) > 0 && isBehind) {
      found.add(
          new Alarm(
              Alarm.Kind.NOT_APPLYING,
              self,
              "The data do not come beyond entry "
                  + applied
                  + ", which others have passed: look at the log of this server."));
    }
    for (Peer peer : ClusterView.followers(division)) {
      if (division.getRaftConf().getPeer(MemberAddress.peerId(peer.address().id())) == null) {
        continue; // it is being taken in, and does not count yet
      }
      Alarm alarm = of(now, peer);
      if (alarm != null) {
        found.add(alarm);
      }
    }
    bare(self, found);
    tell(found);
    alarms = List.copyOf(found);
  }

  /** Adds the alarm that the next failure stops changes, as far as those found say so. */
  private void bare(UUID self, List<Alarm> found) {
    long missing = found.stream().filter(Alarm::isMissing).count();
    int members = division.getRaftConf().getCurrentPeers().size();
    if (missing > 0 && members - missing == members / 2 + 1) {
      found.add(
          new Alarm(
              Alarm.Kind.BARE_MAJORITY,
              self,
              "Only "
                  + (members - missing)
                  + " of "
                  + members
                  + " members are there: one more failure stops changes. Bring the others back, or"
                  + " take in new ones in their place."));
    }
  }

  private @Nullable Alarm of(long now, Peer peer) {
    UUID id = peer.address().id();
    Still matched = others.computeIfAbsent(id, k -> new Still());
    Duration unmoved = matched.at(now, peer.lag() == 0 ? -2 : peer.matched());
    Duration silent = peer.sinceContact();
    Duration far =
        behind
            .computeIfAbsent(id, k -> new Still())
            .at(now, peer.lag() > settings.alarms().lagEntries() ? 1 : now);
    if (silent != null && silent.compareTo(settings.alarms().silent()) > 0) {
      return new Alarm(
          Alarm.Kind.SILENT,
          id,
          "The member "
              + peer.address()
              + " has not answered for "
              + settings.alarms().silent().toSeconds()
              + " s: look at its server and the network to it.");
    }
    if (peer.lag() > 0 && unmoved.compareTo(still) > 0) {
      return new Alarm(
          Alarm.Kind.STUCK,
          id,
          "The member "
              + peer.address()
              + " answers and takes no entries after "
              + peer.matched()
              + ": look at its log; if it stays so, take it in anew.");
    }
    if (far.compareTo(still) > 0) {
      return new Alarm(
          Alarm.Kind.BEHIND,
          id,
          "The member "
              + peer.address()
              + " lacks more than "
              + settings.alarms().lagEntries()
              + " entries: look at its disk and processor, and the network to it.");
    }
    return null;
  }

  private void tell(List<Alarm> found) {
    for (Alarm alarm : found) {
      boolean isNew =
          alarms.stream()
              .noneMatch(old -> old.kind() == alarm.kind() && old.member().equals(alarm.member()));
      if (isNew) {
        LOG.log(System.Logger.Level.WARNING, "Cluster: {0}", alarm.text());
      }
    }
  }
}
