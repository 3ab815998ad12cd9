package org.nyala.cluster.raft;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.ReplicatedLog.Outcome;

/**
 * The proposals of this member that wait for their outcome. Thread-safe.
 *
 * <p>Ids are of one run of the process: an entry of an earlier run is nobody's.
 */
final class Proposals {
  private final ClientId client = ClientId.randomId();
  private final RaftGroupMemberId self;
  private final long timeoutNanos;
  private final AtomicLong callIds = new AtomicLong();
  private final Map<Long, Proposal> waiting = new ConcurrentHashMap<>();

  /** The ids that need no more answer: told with the next request, Ratis forgets them. */
  private final ConcurrentLinkedQueue<Long> answered = new ConcurrentLinkedQueue<>();

  Proposals(RaftGroupMemberId self, Duration timeout) {
    this.self = self;
    this.timeoutNanos = timeout.toNanos();
  }

  ClientId client() {
    return client;
  }

  /** Returns the id for a request that is no proposal. */
  long nextCallId() {
    return callIds.incrementAndGet();
  }

  /** Opens a proposal of an entry that was made in a term. */
  Proposal open(long term) {
    Proposal proposal =
        new Proposal(callIds.incrementAndGet(), term, System.nanoTime() + timeoutNanos);
    waiting.put(proposal.callId(), proposal);
    var _ =
        proposal
            .outcome()
            .whenComplete(
                (outcome, e) -> {
                  waiting.remove(proposal.callId());
                  answered.add(proposal.callId());
                });
    return proposal;
  }

  /** Returns a proposal that waits; null if it is of another member or run, or has its outcome. */
  @Nullable Proposal find(ClientId of, long callId) {
    return client.equals(of) ? waiting.get(callId) : null;
  }

  /** Returns those whose time is over. */
  List<Proposal> overdue(long nowNanos) {
    return waiting.values().stream().filter(proposal -> proposal.isOverdue(nowNanos)).toList();
  }

  /** Learns that a request that is no proposal has its answer. */
  void answered(long callId) {
    answered.add(callId);
  }

  /** Returns how many wait. */
  int count() {
    return waiting.size();
  }

  /** Gives all that wait what is known of them. */
  void end() {
    for (Proposal proposal : List.copyOf(waiting.values())) {
      Outcome given = proposal.given(true);
      proposal.outcome().complete(given == null ? Outcome.UNKNOWN : given);
    }
  }

  /**
   * Returns the request of a proposal.
   *
   * @param entry its bytes, copied: followers that are behind get them later
   */
  RaftClientRequest request(Proposal proposal, ByteBuffer entry) {
    return request(self.getPeerId(), proposal.callId(), ByteString.copyFrom(entry));
  }

  /** Returns the request of a barrier, which is an entry without bytes. */
  RaftClientRequest barrier(RaftPeerId leader, long callId) {
    return request(leader, callId, ByteString.EMPTY);
  }

  private RaftClientRequest request(RaftPeerId leader, long callId, ByteString entry) {
    RaftClientRequest.Builder request =
        RaftClientRequest.newBuilder()
            .setClientId(client)
            .setServerId(leader)
            .setGroupId(self.getGroupId())
            .setCallId(callId)
            .setMessage(Message.valueOf(entry))
            .setType(RaftClientRequest.writeRequestType());
    List<Long> done = drained();
    return done.isEmpty() ? request.build() : request.setRepliedCallIds(done).build();
  }

  private List<Long> drained() {
    List<Long> done = new ArrayList<>();
    for (Long id; done.size() < 1_024 && (id = answered.poll()) != null; ) {
      done.add(id);
    }
    return done;
  }
}
