package org.nyala.cluster.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.protocol.AdminAsynchronousProtocol;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.exceptions.RaftException;
import org.apache.ratis.protocol.exceptions.TimeoutIOException;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the leader, be it this member or another. Thread-safe.
 *
 * <p>Nothing is tried again here: the callers know until when it is worth it.
 */
final class PeerCalls implements AutoCloseable {
  /** The size of a request of a service at most: what the log takes, and what is around it. */
  static final int MOST_REQUEST_BYTES = RaftSettings.MOST_BYTES + (1 << 20);

  private final RaftServer server;
  private final RaftServer.Division division;
  private final RaftClientRpc rpc;
  private final ClientId client;

  /** The times of the last answers of members. */
  private final Map<RaftPeerId, Long> heardNanos = new ConcurrentHashMap<>();

  /** The times when connections to members were given up; guarded by itself. */
  private final Map<RaftPeerId, Long> renewedNanos = new HashMap<>();

  PeerCalls(
      RaftServer server,
      RaftServer.Division division,
      Proposals proposals,
      RaftProperties properties,
      Parameters parameters) {
    this.server = server;
    this.division = division;
    this.client = proposals.client();
    this.rpc = new GrpcFactory(parameters).newRaftClientRpc(client, properties);
  }

  /** Returns the leader; null if none is known. */
  @Nullable RaftPeerId leader() {
    return division.getInfo().getLeaderId();
  }

  /** Sends a request to the leader that it names; the future fails for whatever is no success. */
  CompletableFuture<RaftClientReply> send(RaftClientRequest request) {
    RaftPeerId to = request.getServerId();
    try {
      CompletableFuture<RaftClientReply> reply;
      if (to.equals(division.getId())) {
        // RaftServer.submitClientRequestAsync hops to another thread and waits for it.
        reply = ((RaftClientAsynchronousProtocol) division).submitClientRequestAsync(request);
      } else {
        know(to);
        long sent = System.nanoTime();
        reply = rpc.sendRequestAsyncUnordered(request);
        var _ = reply.whenComplete((ignored, e) -> learn(to, sent, e));
      }
      return reply.thenCompose(PeerCalls::successful);
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Sends a request to the service of a member.
   *
   * @param to a member that is known, not this one
   */
  CompletableFuture<ByteBuffer> ask(
      RaftPeerId to, long callId, PeerRequestKind kind, ByteBuffer request, Duration timeout) {
    try {
      know(to);
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    long sent = System.nanoTime();
    CompletableFuture<ByteBuffer> answer =
        ask(
            rpc,
            read(client, to, division.getGroup().getGroupId(), callId),
            kind,
            request,
            timeout);
    var _ = answer.whenComplete((ignored, e) -> learn(to, sent, e));
    return answer;
  }

  /**
   * Asks a member whether it answers at all; if it does not, its connection is given up, and so are
   * the requests that wait for it.
   *
   * @param patience the time that it has
   */
  void probe(RaftPeerId member, long callId, Duration patience) {
    var _ = ask(member, callId, PeerRequestKind.MEMBER, ByteBuffer.allocate(0), patience);
  }

  /** Returns whether a failure is an answer: the other side refuses the request. */
  private static boolean isRefusal(Throwable failure) {
    return cause(failure) instanceof org.nyala.cluster.raft.RaftException;
  }

  private static boolean isTimeout(Throwable failure) {
    Throwable cause = cause(failure);
    return cause instanceof TimeoutException || cause instanceof TimeoutIOException;
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }

  /** Returns the frame of Ratis for a request: any member answers it, whatever its role is. */
  static RaftClientRequest.Builder read(
      ClientId from, RaftPeerId to, RaftGroupId group, long callId) {
    return RaftClientRequest.newBuilder()
        .setClientId(from)
        .setServerId(to)
        .setGroupId(group)
        .setCallId(callId)
        .setType(RaftClientRequest.staleReadRequestType(0));
  }

  /** Sends a request by a connection; see {@link PeerClient#ask}. */
  static CompletableFuture<ByteBuffer> ask(
      RaftClientRpc rpc,
      RaftClientRequest.Builder frame,
      PeerRequestKind kind,
      ByteBuffer request,
      Duration timeout) {
    if (request.remaining() > MOST_REQUEST_BYTES) {
      return CompletableFuture.failedFuture(
          new org.nyala.cluster.raft.RaftException(
              "A request between members has at most " + MOST_REQUEST_BYTES + " bytes."));
    }
    try {
      return rpc.sendRequestAsyncUnordered(
              frame.setMessage(Message.valueOf(PeerServices.request(kind, request))).build())
          .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
          .thenCompose(PeerCalls::message)
          .thenCompose(PeerServices::opened);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Has the leader change the members; waits for it. */
  void change(SetConfigurationRequest request) throws IOException {
    RaftPeerId to = request.getServerId();
    RaftClientReply reply;
    if (to.equals(division.getId())) {
      reply = server.setConfiguration(request);
    } else {
      know(to);
      long sent = System.nanoTime();
      try {
        reply = rpc.sendRequest(request);
      } catch (IOException | RuntimeException e) {
        forget(to, sent, e);
        throw e;
      }
    }
    RaftException refused = reply.getException();
    if (refused != null) {
      throw refused;
    }
  }

  /** Returns the admin face of the own server. */
  AdminAsynchronousProtocol admin() {
    return server;
  }

  private void know(RaftPeerId to) throws IOException {
    RaftPeer peer = division.getRaftConf().getPeer(to);
    if (peer == null) {
      // Nobody has refused anything: nothing was sent.
      throw new ConnectException(
          "The leader " + to + " is not among the members that are known here.");
    }
    // Ratis would take the address for clients, which is a URL of LDAP here.
    rpc.addRaftPeers(
        List.of(RaftPeer.newBuilder().setId(peer.getId()).setAddress(peer.getAddress()).build()));
  }

  /**
   * Learns how a request has ended. The connection is given up, with all other requests on it, only
   * if it is broken, or if nothing has come by it since the request was sent: a refusal is an
   * answer, and a service that is too slow says nothing of others.
   */
  private void learn(RaftPeerId to, long sentNanos, @Nullable Throwable e) {
    if (e == null || isRefusal(e)) {
      heardNanos.put(to, System.nanoTime());
      return;
    }
    Long heard = heardNanos.get(to);
    if (heard == null || heard - sentNanos < 0 || !isTimeout(e)) {
      forget(to, sentNanos, e);
    }
  }

  /** Gives a connection up, once for all requests that it fails. */
  private void forget(RaftPeerId to, long sentNanos, Throwable e) {
    synchronized (renewedNanos) {
      Long renewed = renewedNanos.get(to);
      if (renewed != null && sentNanos - renewed < 0) {
        return; // it was sent by an earlier connection
      }
      renewedNanos.put(to, System.nanoTime());
    }
    rpc.handleException(to, e, true);
  }

  /** Returns what a reply has, or the refusal of the other side's Ratis. */
  private static CompletableFuture<Message> message(RaftClientReply reply) {
    RaftException refused = reply.getException();
    return refused == null
        ? CompletableFuture.completedFuture(reply.getMessage())
        : CompletableFuture.failedFuture(
            new org.nyala.cluster.raft.RaftException(
                String.valueOf(refused.getMessage()), refused));
  }

  private static CompletableFuture<RaftClientReply> successful(RaftClientReply reply) {
    RaftException refused = reply.getException();
    return refused == null
        ? CompletableFuture.completedFuture(reply)
        : CompletableFuture.failedFuture(refused);
  }

  @Override
  public void close() {
    close(rpc);
  }

  static void close(RaftClientRpc rpc) {
    try {
      rpc.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
