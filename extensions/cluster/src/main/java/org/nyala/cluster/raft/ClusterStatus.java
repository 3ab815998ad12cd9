package org.nyala.cluster.raft;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The state of a cluster as one member sees it. Immutable.
 *
 * @param self the member that says so
 * @param role its part
 * @param isServing whether it leads and may propose
 * @param term its current term
 * @param leader the leader that it knows; null if it knows none
 * @param last the index of the last entry of its log, -1 if it has none
 * @param committed the index up to which it knows entries to be committed
 * @param applied the index up to which its state has everything
 * @param members all members; what only the leader knows is -1 on others
 * @param alarms what an operator has to look at, empty if all is well
 */
public record ClusterStatus(
    UUID self,
    Role role,
    boolean isServing,
    long term,
    @Nullable UUID leader,
    long last,
    long committed,
    long applied,
    List<Peer> members,
    List<Alarm> alarms) {
  /** Takes the lists as they are now. */
  public ClusterStatus {
    members = List.copyOf(members);
    alarms = List.copyOf(alarms);
  }

  /** The part of a member. */
  public enum Role {
    /** It orders the entries, or did so until a moment ago. */
    LEADER,
    /** It follows a leader, or waits for one. */
    FOLLOWER,
    /** It asks the others for their votes. */
    CANDIDATE,
    /** It is started and belongs to no cluster yet: it waits to be added. */
    WAITING,
    /** Its log has ended. */
    STOPPED
  }

  /**
   * A member.
   *
   * @param address its id and address
   * @param matched the index up to which its log equals the leader's; -1 if not known
   * @param lag the entries of the leader's log that it lacks; -1 if not known
   * @param sinceContact the time since it was last heard of; null if not known
   */
  public record Peer(
      MemberAddress address, long matched, long lag, @Nullable Duration sinceContact) {}

  /**
   * A condition that does not go away by itself.
   *
   * @param kind its kind
   * @param member the member that it is about
   * @param text a sentence
   */
  public record Alarm(Kind kind, UUID member, String text) {
    /** The kinds of alarms. */
    public enum Kind {
      /** No leader is known for longer than elections take. */
      NO_LEADER,
      /** A member does not answer the leader. */
      SILENT,
      /** A member answers the leader and yet takes no entries: it refuses what it is sent. */
      STUCK,
      /** A member lacks many entries of the leader's log. */
      BEHIND,
      /** Members are missing, and only a bare majority is left. */
      BARE_MAJORITY,
      /** The state is behind what is committed and does not move. */
      NOT_APPLYING,
      /** The log has ended. */
      FAILED
    }

    /** Returns whether the member that it is about does not count at present. */
    public boolean isMissing() {
      return kind == Kind.SILENT || kind == Kind.STUCK;
    }
  }
}
