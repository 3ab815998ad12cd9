package org.nyala.cluster.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupListReply;
import org.apache.ratis.protocol.GroupListRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a server to a member of a cluster to which it does not belong yet. Thread-safe.
 */
public final class PeerClient implements AutoCloseable {
  private static final RaftPeerId STRANGER = RaftPeerId.valueOf("any");

  private final ClientId id = ClientId.randomId();
  private final AtomicLong callIds = new AtomicLong();
  private final RaftClientRpc rpc;
  private final List<RaftGroupId> clusters;

  private PeerClient(String authority, Duration timeout, @Nullable PeerTls tls)
      throws RaftException {
    RaftProperties properties = new RaftProperties();
    RaftClientConfigKeys.Rpc.setRequestTimeout(
        properties, TimeDuration.valueOf(timeout.toMillis(), TimeUnit.MILLISECONDS));
    GrpcConfigKeys.setMessageSizeMax(
        properties, SizeInBytes.valueOf(RaftSettings.MOST_MESSAGE_BYTES));
    Parameters parameters = new Parameters();
    if (tls != null) {
      GrpcConfigKeys.TLS.setConf(parameters, tls.toConfig());
    }
    this.rpc = new GrpcFactory(parameters).newRaftClientRpc(id, properties);
    try {
      rpc.addRaftPeers(
          List.of(RaftPeer.newBuilder().setId(STRANGER).setAddress(authority).build()));
      this.clusters = groups(authority);
    } catch (RaftException e) {
      close();
      throw e;
    } catch (IOException | RuntimeException e) {
      close();
      throw new RaftException(
          "No member of a cluster answers at " + authority + ": " + e.getMessage() + ".", e);
    }
  }

  /**
   * Connects to a member.
   *
   * @param host the host of the member's address
   * @param port the port likewise, from 1 to 65535
   * @param timeout the time that each request may take, unless it has a shorter one of its own
   * @param tls keys and certificates; null for none, as the member has it
   * @throws RaftException if no member of a cluster answers there
   */
  public static PeerClient open(String host, int port, Duration timeout, @Nullable PeerTls tls)
      throws RaftException {
    String authority = MemberAddress.authority(host, port);
    PeerClient client = new PeerClient(authority, timeout, tls);
    if (client.clusters.size() != 1) {
      client.close();
      throw new RaftException(
          "The server at " + authority + " belongs to " + client.clusters.size() + " clusters.");
    }
    return client;
  }

  /**
   * Asks a server to which cluster it belongs.
   *
   * @param host the host of its address for members
   * @param port the port likewise, from 1 to 65535
   * @param timeout the time that the question may take
   * @param tls keys and certificates; null for none, as the server has it
   * @return the id of the cluster; null if the server says that it belongs to none, and has no data
   * @throws RaftException if it is not known: nobody answers, or the server objects
   */
  public static @Nullable UUID clusterAt(
      String host, int port, Duration timeout, @Nullable PeerTls tls) throws RaftException {
    String authority = MemberAddress.authority(host, port);
    try (PeerClient client = new PeerClient(authority, timeout, tls)) {
      if (client.clusters.size() > 1) {
        throw new RaftException(
            "The server at " + authority + " belongs to " + client.clusters.size() + " clusters.");
      }
      return client.clusters.isEmpty() ? null : client.cluster();
    }
  }

  private List<RaftGroupId> groups(String authority) throws IOException {
    var reply =
        rpc.sendRequest(
            new GroupListRequest(
                id, STRANGER, RaftGroupId.emptyGroupId(), callIds.incrementAndGet()));
    // Anything else is no answer: a server without a cluster says so.
    if (reply instanceof GroupListReply list && list.isSuccess()) {
      return list.getGroupIds();
    }
    throw new RaftException("The server at " + authority + " does not tell its cluster.");
  }

  /** Returns the id of the member's cluster. */
  public UUID cluster() {
    return clusters.getFirst().getUuid();
  }

  /**
   * Sends a request to the member.
   *
   * @param request its bytes, of at most {@link PeerCalls#MOST_REQUEST_BYTES}; copied
   * @return the bytes of the answer; fails by a {@link RaftException} with the sentence of a
   *     refusal, or by any other exception if there is no answer within the time
   */
  public CompletableFuture<ByteBuffer> ask(
      PeerRequestKind kind, ByteBuffer request, Duration timeout) {
    return PeerCalls.ask(
        rpc,
        PeerCalls.read(id, STRANGER, clusters.getFirst(), callIds.incrementAndGet()),
        kind,
        request,
        timeout);
  }

  @Override
  public void close() {
    PeerCalls.close(rpc);
  }
}
