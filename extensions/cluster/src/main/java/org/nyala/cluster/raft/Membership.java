package org.nyala.cluster.raft;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SetConfigurationRequest.Arguments;
import org.apache.ratis.protocol.SetConfigurationRequest.Mode;
import org.apache.ratis.protocol.exceptions.GroupMismatchException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the members of a cluster, asked for on any of them. Thread-safe.
 *
 * <p>Members are added as voters at once: Ratis has them catch up before they count. One that was a
 * listener before would refuse its vote until its next start.
 */
final class Membership {
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final RaftServer.Division division;
  private final PeerCalls calls;
  private final Proposals proposals;
  private final Precautions precautions;

  /** The change of a configuration, computed anew for each attempt. */
  private interface Change {
    /** Returns what to ask for; null if it is so already. */
    @Nullable Arguments of(Collection<RaftPeer> members);
  }

  Membership(
      RaftServer.Division division, PeerCalls calls, Proposals proposals, Precautions precautions) {
    this.division = division;
    this.calls = calls;
    this.proposals = proposals;
    this.precautions = precautions;
  }

  /** Adds a member whose log is started; waits until it has caught up and counts. */
  void add(MemberAddress member, Duration timeout) throws RaftException {
    RaftPeer peer = member.toPeer();
    String what = "The member " + member + " could not be added";
    if (!precautions.contains(Precautions.Kind.VOTERS_AT_ONCE)) {
      RaftPeer listener = RaftPeer.newBuilder(peer).setStartupRole(RaftPeerRole.LISTENER).build();
      change(
          what,
          timeout,
          members ->
              Arguments.newBuilder()
                  .setServersInNewConf(List.<RaftPeer>of())
                  .setListenersInNewConf(List.of(listener))
                  .setMode(Mode.ADD)
                  .build());
    }
    change(
        what,
        timeout,
        members ->
            contains(members, peer)
                ? null
                : Arguments.newBuilder()
                    .setServersInNewConf(List.of(peer))
                    .setMode(Mode.ADD)
                    .build());
  }

  private static boolean contains(Collection<RaftPeer> members, RaftPeer peer) {
    return members.stream()
        .anyMatch(
            member ->
                member.getId().equals(peer.getId())
                    && member.getAddress().equals(peer.getAddress()));
  }

  /**
   * Has a member whose log is started take the place of another one, as one change (the joint
   * consensus of Ongaro, 2014, section 4.3).
   */
  void replace(UUID former, MemberAddress member, Duration timeout) throws RaftException {
    RaftPeerId id = MemberAddress.peerId(former);
    RaftPeer peer = member.toPeer();
    change(
        "The member " + member + " could not take the place of " + former,
        timeout,
        members -> {
          List<RaftPeer> after = new ArrayList<>(members);
          boolean isChanged = after.removeIf(each -> each.getId().equals(id));
          if (!contains(members, peer)) {
            after.add(peer);
            isChanged = true;
          }
          return isChanged
              ? Arguments.newBuilder()
                  .setServersInCurrentConf(List.copyOf(members))
                  .setServersInNewConf(after)
                  .setMode(Mode.COMPARE_AND_SET)
                  .build()
              : null;
        });
  }

  /** Removes a member, which is to be stopped then; waits until it does not count any more. */
  void remove(UUID member, Duration timeout) throws RaftException {
    RaftPeerId id = MemberAddress.peerId(member);
    change(
        "The member " + member + " could not be removed",
        timeout,
        members -> {
          List<RaftPeer> others = new ArrayList<>(members);
          return others.removeIf(peer -> peer.getId().equals(id))
              ? Arguments.newBuilder()
                  .setServersInCurrentConf(List.copyOf(members))
                  .setServersInNewConf(others)
                  .setMode(Mode.COMPARE_AND_SET)
                  .build()
              : null;
        });
  }

  private void change(String what, Duration timeout, Change change) throws RaftException {
    long deadline = System.nanoTime() + timeout.toNanos();
    IOException last = null;
    while (System.nanoTime() - deadline < 0) {
      RaftPeerId leader = calls.leader();
      if (leader != null) {
        Arguments arguments = change.of(division.getRaftConf().getCurrentPeers());
        if (arguments == null) {
          return;
        }
        try {
          calls.change(
              new SetConfigurationRequest(
                  proposals.client(),
                  leader,
                  division.getMemberId().getGroupId(),
                  proposals.nextCallId(),
                  arguments));
          return;
        } catch (ReconfigurationTimeoutException e) {
          last = e; // it does not answer: it may be about to start
        } catch (GroupMismatchException e) {
          throw new RaftException(what + ": it belongs to another cluster.", e);
        } catch (IOException e) {
          last = e;
        }
      }
      pause(what);
    }
    throw new RaftException(
        what + " within " + timeout.toMillis() + " ms: " + reason(last) + ".",
        last == null ? new IllegalStateException("no leader is known") : last);
  }

  private static String reason(@Nullable IOException last) {
    if (last == null) {
      return "there is no leader";
    }
    return last instanceof ReconfigurationTimeoutException
        ? "it has not answered the leader"
        : "the leader has not agreed";
  }

  private static void pause(String what) throws RaftException {
    LockSupport.parkNanos(AGAIN_NANOS);
    if (Thread.interrupted()) {
      Thread.currentThread().interrupt();
      throw new RaftException(what + ": the request was interrupted.");
    }
  }
}
