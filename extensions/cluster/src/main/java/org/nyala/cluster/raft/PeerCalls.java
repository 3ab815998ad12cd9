package org.nyala.cluster.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
        reply = rpc.sendRequestAsyncUnordered(request);
        var _ = reply.whenComplete((ignored, e) -> forget(to, e));
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
    CompletableFuture<ByteBuffer> answer =
        ask(
            rpc,
            read(client, to, division.getGroup().getGroupId(), callId),
            kind,
            request,
            timeout);
    var _ = answer.whenComplete((ignored, e) -> forget(to, e));
    return answer;
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
          .thenCompose(PeerCalls::successful)
          .thenApply(RaftClientReply::getMessage)
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
      try {
        reply = rpc.sendRequest(request);
      } catch (IOException | RuntimeException e) {
        forget(to, e);
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

  private void forget(RaftPeerId to, @Nullable Throwable e) {
    if (e != null) {
      rpc.handleException(to, e, true);
    }
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
