package org.nyala.cluster.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.protocol.AdminAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
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
  private final RaftServer server;
  private final RaftServer.Division division;
  private final RaftClientRpc rpc;

  PeerCalls(
      RaftServer server,
      RaftServer.Division division,
      Proposals proposals,
      RaftProperties properties,
      Parameters parameters) {
    this.server = server;
    this.division = division;
    this.rpc = new GrpcFactory(parameters).newRaftClientRpc(proposals.client(), properties);
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
      throw new org.nyala.cluster.raft.RaftException(
          "The leader " + to + " is not among the members that are known here.");
    }
    rpc.addRaftPeers(List.of(peer));
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
    try {
      rpc.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
