package org.nyala.cluster.node;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.ReplicatedBackend;
import org.nyala.cluster.raft.ClusterStatus;
import org.nyala.cluster.raft.ClusterStatus.Alarm;
import org.nyala.cluster.raft.ClusterStatus.Peer;
import org.nyala.cluster.raft.RaftMember;
import org.nyala.extension.Extension.Condition;
import org.nyala.extension.Meter;

/**
 * The state of a cluster at one moment, as one member tells it: to the command, to {@code
 * cn=Monitor}, JMX and Prometheus, and as alarms. All say the same, for all read this.
 *
 * <p>Immutable.
 *
 * @param cluster the id of the cluster
 * @param status what the log knows
 * @param applied the index up to which the data have everything
 * @param failure why the member has stopped; null if it has not
 */
record MemberReport(UUID cluster, ClusterStatus status, long applied, @Nullable String failure) {
  /** The kind of the condition that the member has stopped. */
  private static final String STOPPED = "stopped";

  static MemberReport of(RaftMember log, ReplicatedBackend store) {
    return new MemberReport(log.cluster(), log.status(), store.reached().index(), store.failure());
  }

  /** Returns whether changes can be made somewhere, and this member goes on. */
  boolean isWorking() {
    return status.leader() != null && failure == null;
  }

  private String role() {
    return lower(failure == null ? status.role() : ClusterStatus.Role.STOPPED);
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private boolean isLeader(Peer peer) {
    return peer.address().id().equals(status.leader());
  }

  private String text(Peer peer) {
    return (isLeader(peer) ? "leader    " : "follower  ")
        + peer.address()
        + (peer.lag() < 0 ? "" : ", lacks " + peer.lag() + " entries")
        + (peer.sinceContact() == null
            ? ""
            : ", heard of " + peer.sinceContact().toMillis() + " ms ago");
  }

  private String log() {
    return status.last()
        + " entries, "
        + status.committed()
        + " of them committed, "
        + applied
        + " applied";
  }

  /** Returns what the command prints. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("cluster   " + cluster);
    lines.add("member    " + status.self());
    lines.add("role      " + role());
    lines.add("term      " + status.term());
    lines.add("log       " + log());
    status.members().forEach(peer -> lines.add(text(peer)));
    if (status.leader() == null) {
      lines.add("changes   none are made, for no member leads; reads go on");
    }
    status.alarms().forEach(alarm -> lines.add("alarm     " + alarm.text()));
    if (failure != null) {
      lines.add("stopped   " + failure);
    }
    return lines;
  }

  /** Returns the same by names, for {@code cn=Monitor} and JMX. */
  Map<String, String> state() {
    Map<String, String> state = new LinkedHashMap<>();
    state.put("cluster", cluster.toString());
    state.put("member", status.self().toString());
    state.put("role", role());
    state.put("current term", Long.toString(status.term()));
    state.put("leader", status.leader() == null ? "none" : status.leader().toString());
    state.put("log", log());
    int number = 0;
    for (Peer peer : status.members()) {
      state.put("member " + ++number, text(peer));
    }
    return state;
  }

  /** Returns what an administrator has to look at. */
  List<Condition> conditions() {
    List<Condition> conditions = new ArrayList<>();
    status.alarms().forEach(alarm -> conditions.add(new Condition(kind(alarm), alarm.text())));
    if (failure != null && conditions.stream().noneMatch(each -> each.kind().equals(STOPPED))) {
      conditions.add(
          new Condition(
              STOPPED,
              "This member of the cluster has stopped, and goes on with reads only: "
                  + failure
                  + ". Start it again once the cause is gone; if it stops again, take it in anew."));
    }
    return conditions;
  }

  private static String kind(Alarm alarm) {
    return switch (alarm.kind()) {
      case NO_LEADER -> "noLeader";
      case SILENT -> "silent";
      case STUCK -> "stuck";
      case BEHIND -> "behind";
      case BARE_MAJORITY -> "bareMajority";
      case NOT_APPLYING -> "notApplying";
      case FAILED -> STOPPED;
    };
  }

  /** Returns the numbers by members and parts, read from what is known at each reading. */
  static List<Meter.Series> series(Supplier<@Nullable MemberReport> known) {
    return List.of(
        series(
            "role",
            "1 for the part of this member in its cluster, 0 for the others.",
            "role",
            known,
            MemberReport::roles),
        series(
            "member lag",
            "The entries of the leader's log that a member lacks; the leader alone knows.",
            "member",
            known,
            MemberReport::lags));
  }

  private static Meter.Series series(
      String name,
      String description,
      String label,
      Supplier<@Nullable MemberReport> known,
      Function<MemberReport, Map<String, Long>> numbers) {
    return new Meter.Series(
        name,
        "",
        description,
        label,
        () -> {
          MemberReport report = known.get();
          return report == null ? Map.of() : numbers.apply(report);
        });
  }

  private Map<String, Long> roles() {
    Map<String, Long> roles = new LinkedHashMap<>();
    for (ClusterStatus.Role each : ClusterStatus.Role.values()) {
      roles.put(lower(each), lower(each).equals(role()) ? 1L : 0L);
    }
    return roles;
  }

  private Map<String, Long> lags() {
    Map<String, Long> lags = new LinkedHashMap<>();
    for (Peer peer : status.members()) {
      if (peer.lag() >= 0) {
        lags.put(peer.address().toString(), peer.lag());
      }
    }
    return lags;
  }
}
