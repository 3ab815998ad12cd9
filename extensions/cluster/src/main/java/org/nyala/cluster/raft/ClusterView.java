package org.nyala.cluster.raft;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.raft.ClusterStatus.Alarm;
import org.nyala.cluster.raft.ClusterStatus.Peer;
import org.nyala.cluster.raft.ClusterStatus.Role;

/** The status of a cluster, read from a division of Ratis. */
final class ClusterView {
  private ClusterView() {}

  static ClusterStatus of(RaftServer.Division division, Deliveries deliveries, List<Alarm> alarms) {
    DivisionInfo info = division.getInfo();
    RaftPeerId leader = info.getLeaderId();
    long last = last(division);
    return new ClusterStatus(
        MemberAddress.id(division.getId()),
        role(division),
        deliveries.isLeading(),
        info.getCurrentTerm(),
        leader == null ? null : MemberAddress.id(leader),
        last,
        committed(division),
        deliveries.applied().index(),
        members(division, last),
        alarms);
  }

  static long committed(RaftServer.Division division) {
    return division.getRaftLog().getLastCommittedIndex();
  }

  /** Returns the index of the last entry; -1 if the log is empty or closed. */
  static long last(RaftServer.Division division) {
    if (!division.getRaftLog().isOpened()) {
      return -1;
    }
    TermIndex last = division.getRaftLog().getLastEntryTermIndex();
    return last == null ? -1 : last.getIndex();
  }

  private static Role role(RaftServer.Division division) {
    DivisionInfo info = division.getInfo();
    LifeCycle.State state = info.getLifeCycleState();
    if (state.isClosingOrClosed() || state == LifeCycle.State.EXCEPTION) {
      return Role.STOPPED;
    }
    if (division.getRaftConf().getPeer(division.getId()) == null) {
      return Role.WAITING;
    }
    return switch (info.getCurrentRole()) {
      case LEADER -> Role.LEADER;
      case CANDIDATE -> Role.CANDIDATE;
      default -> Role.FOLLOWER;
    };
  }

  private static List<Peer> members(RaftServer.Division division, long last) {
    Map<UUID, Peer> known = new HashMap<>();
    followers(division).forEach(peer -> known.put(peer.address().id(), peer));
    RoleInfoProto role = division.getInfo().getRoleInfoProto();
    List<Peer> members = new ArrayList<>();
    for (RaftPeer peer : division.getRaftConf().getCurrentPeers()) {
      MemberAddress address = MemberAddress.of(peer);
      boolean isSelf = peer.getId().equals(division.getId());
      boolean isLeaderOfSelf = peer.getId().equals(division.getInfo().getLeaderId());
      Duration contact = isSelf ? Duration.ZERO : isLeaderOfSelf ? sinceLeader(role) : null;
      Peer heard = known.get(address.id());
      members.add(
          heard == null
              ? new Peer(address, isSelf ? last : -1, -1, contact)
              : new Peer(address, heard.matched(), heard.lag(), heard.sinceContact()));
    }
    return members;
  }

  private static @Nullable Duration sinceLeader(RoleInfoProto role) {
    return role.hasFollowerInfo()
        ? Duration.ofMillis(role.getFollowerInfo().getLeaderInfo().getLastRpcElapsedTimeMs())
        : null;
  }

  /** Returns the other members as the leader knows them; empty on others. */
  static List<Peer> followers(RaftServer.Division division) {
    DivisionInfo info = division.getInfo();
    // Ratis lists both by its senders, in one order; a change between shows as another length.
    List<ServerRpcProto> others = info.getRoleInfoProto().getLeaderInfo().getFollowerInfoList();
    long[] matched = info.getFollowerMatchIndices();
    if (matched == null || matched.length != others.size()) {
      return List.of();
    }
    long last = last(division);
    List<Peer> peers = new ArrayList<>();
    for (int i = 0; i < matched.length; i++) {
      ServerRpcProto other = others.get(i);
      RaftPeer peer =
          RaftPeer.newBuilder()
              .setId(other.getId().getId())
              .setAddress(other.getId().getAddress())
              .build();
      peers.add(
          new Peer(
              MemberAddress.of(peer),
              matched[i],
              Math.max(0, last - matched[i]),
              Duration.ofMillis(other.getLastRpcElapsedTimeMs())));
    }
    return peers;
  }
}
