package org.nyala.cluster.raft;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.ratis.client.impl.ClientProtoUtils;
import org.apache.ratis.grpc.GrpcUtil;
import org.apache.ratis.proto.RaftProtos.GroupListReplyProto;
import org.apache.ratis.proto.RaftProtos.GroupListRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.grpc.AdminProtocolServiceGrpc.AdminProtocolServiceImplBase;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupListReply;
import org.apache.ratis.protocol.GroupListRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.io.grpc.Server;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyServerBuilder;
import org.apache.ratis.thirdparty.io.grpc.stub.StreamObserver;
import org.apache.ratis.thirdparty.io.netty.channel.EventLoopGroup;
import org.apache.ratis.thirdparty.io.netty.channel.nio.NioEventLoopGroup;
import org.apache.ratis.thirdparty.io.netty.channel.socket.nio.NioServerSocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a server that belongs to no cluster, at its port for members: that it is so. It
 * ends before the log takes the port. {@link PeerClient#clusterAt} is the question.
 *
 * <p>It answers that one question; with certificates, only to those that have one of the authority.
 * Thread-safe.
 */
public final class Vacancy implements AutoCloseable {
  /** A question has some tens of bytes. */
  private static final int MOST_BYTES = 4_096;

  private static final int MOST_CALLS = 8;
  private static final int SECONDS = 10;

  private final EventLoopGroup loop =
      new NioEventLoopGroup(
          1, Thread.ofPlatform().daemon().name("nyala-cluster-vacancy").factory());
  private final Server server;

  /**
   * Answers from now on.
   *
   * @param listen the address to listen at; empty for all
   * @param port from 1 to 65535
   * @param tls keys and certificates; null for none
   * @param objection asked at each question: a sentence if the server must not count as one without
   *     a cluster, which is answered instead; null if it may. It returns at once
   * @throws RaftException if it cannot listen there
   */
  public Vacancy(
      String listen, int port, @Nullable PeerTls tls, Supplier<@Nullable String> objection)
      throws RaftException {
    InetSocketAddress address =
        listen.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(listen, port);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .bossEventLoopGroup(loop)
            .workerEventLoopGroup(loop)
            .channelType(NioServerSocketChannel.class)
            .directExecutor()
            .maxInboundMessageSize(MOST_BYTES)
            .maxInboundMetadataSize(MOST_BYTES)
            .maxConcurrentCallsPerConnection(MOST_CALLS)
            .handshakeTimeout(SECONDS, TimeUnit.SECONDS)
            .maxConnectionIdle(SECONDS, TimeUnit.SECONDS)
            .maxConnectionAge(SECONDS, TimeUnit.SECONDS)
            .maxConnectionAgeGrace(1, TimeUnit.SECONDS)
            .addService(new Answer(objection));
    try {
      if (tls != null) {
        builder.sslContext(GrpcUtil.buildSslContextForServer(tls.toConfig()));
      }
      server = builder.build().start();
    } catch (IOException | RuntimeException e) {
      endLoop();
      throw new RaftException(
          "The port for members at " + address + " cannot be opened: " + RaftMember.cause(e) + ".",
          e);
    }
  }

  /** The one question of the protocol that is answered. Immutable. */
  private static final class Answer extends AdminProtocolServiceImplBase {
    private final Supplier<@Nullable String> objection;

    Answer(Supplier<@Nullable String> objection) {
      this.objection = objection;
    }

    @Override
    public void groupList(
        GroupListRequestProto question, StreamObserver<GroupListReplyProto> answer) {
      try {
        String reason = objection.get();
        if (reason != null) {
          answer.onError(Status.FAILED_PRECONDITION.withDescription(reason).asRuntimeException());
          return;
        }
        RaftRpcRequestProto sender = question.getRpcRequest();
        // Ratis cannot read the id of no group, which each question has, unless it was asked for.
        GroupListRequest read =
            new GroupListRequest(
                ClientId.valueOf(sender.getRequestorId()),
                RaftPeerId.valueOf(sender.getReplyId()),
                RaftGroupId.emptyGroupId(),
                sender.getCallId());
        answer.onNext(ClientProtoUtils.toGroupListReplyProto(new GroupListReply(read, List.of())));
        answer.onCompleted();
      } catch (RuntimeException e) {
        // The question is not well-formed, or the store is not open any more.
        answer.onError(
            Status.UNAVAILABLE
                .withDescription(String.valueOf(e.getMessage()))
                .asRuntimeException());
      }
    }
  }

  private void endLoop() {
    var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** Frees the port. */
  @Override
  public void close() {
    server.shutdownNow();
    try {
      if (!server.awaitTermination(SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the port for members is not free after " + SECONDS + " s");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    endLoop();
  }
}
