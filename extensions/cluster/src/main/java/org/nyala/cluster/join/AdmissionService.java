package org.nyala.cluster.join;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.raft.ClusterStatus;
import org.nyala.cluster.raft.MemberAddress;
import org.nyala.cluster.raft.PeerService;
import org.nyala.cluster.raft.RaftException;
import org.nyala.cluster.raft.RaftMember;

/**
 * The service of a member that tells a server whether it may become a member, and adds it.
 * Thread-safe.
 *
 * <p>A request is the byte of its kind, {@link #ASK}, {@link #ADD} or {@link #VACATE}, for the last
 * two the address, for {@link #ADD} the member that it takes the place of, and the {@link
 * Suitability} of the server. An answer has no bytes; a refusal is a sentence.
 */
public final class AdmissionService implements PeerService, AutoCloseable {
  static final byte ASK = 1;
  static final byte ADD = 2;
  static final byte VACATE = 3;

  /** The time in which a member with a copy gets the entries after it, and counts. */
  static final Duration ADDING = Duration.ofSeconds(60);

  /** The beginning of the sentence about a server that does not fit. */
  static final String UNFIT = "The server cannot be a member, for ";

  private static final int MOST_WAITING = 8;
  private static final int MOST_BYTES = Suitability.MOST_BYTES + 4_096;

  private final Supplier<RaftMember> log;
  private final Supplier<Suitability> own;
  private final Asking asking;
  private final ThreadPoolExecutor executor;

  /** The question to the server at an address, to which cluster it belongs. Thread-safe. */
  @FunctionalInterface
  public interface Asking {
    /**
     * Asks it.
     *
     * @return the id of the cluster; null if the server says that it belongs to none, and has no
     *     data
     * @throws RaftException if it is not known
     */
    @Nullable UUID clusterAt(String host, int port) throws RaftException;
  }

  /**
   * Creates the service.
   *
   * @param log of this member
   * @param own the properties of this server
   * @param asking the question to others
   */
  public AdmissionService(Supplier<RaftMember> log, Supplier<Suitability> own, Asking asking) {
    this.log = log;
    this.asking = asking;
    this.own = own;
    this.executor =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(MOST_WAITING),
            Thread.ofPlatform().daemon().name("nyala-cluster-admission").factory());
  }

  /** Returns the request of a server that wants to know. */
  static ByteBuffer ask(Suitability server) {
    byte[] bytes = server.bytes();
    return ByteBuffer.allocate(1 + bytes.length).put(ASK).put(bytes).flip();
  }

  /**
   * Returns the request of a server that waits to be added.
   *
   * @param instead the member that is removed then; null for none
   */
  static ByteBuffer add(Suitability server, MemberAddress address, @Nullable UUID instead) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(ADD);
      out.writeUTF(address.id().toString());
      out.writeUTF(address.host());
      out.writeInt(address.port());
      out.writeUTF(address.clients());
      out.writeUTF(instead == null ? "" : instead.toString());
      out.write(server.bytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }

  /**
   * Returns the request of a server without data that former members with its address be removed.
   * It is refused unless the server that this member reaches there belongs to no cluster: then the
   * former ones are lost for good, for nobody else can have their address.
   */
  static ByteBuffer vacate(Suitability server, String host, int port) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VACATE);
      out.writeUTF(host);
      out.writeInt(port);
      out.write(server.bytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }

  @Override
  public CompletionStage<ByteBuffer> answer(ByteBuffer request) {
    CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
    if (request.remaining() > MOST_BYTES) {
      answer.completeExceptionally(
          new RaftException("A request for admission has at most " + MOST_BYTES + " bytes."));
      return answer;
    }
    try {
      executor.execute(
          () -> {
            try {
              answerNow(request);
              answer.complete(ByteBuffer.allocate(0));
            } catch (IOException | RuntimeException e) {
              answer.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(
          new RaftException("The member admits others at this moment: try again later.", e));
    }
    return answer;
  }

  private void answerNow(ByteBuffer request) throws IOException {
    byte[] bytes = new byte[request.remaining()];
    request.get(bytes);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      switch (bytes.length == 0 ? 0 : in.readByte()) {
        case ASK -> require(Suitability.read(ByteBuffer.wrap(bytes, 1, bytes.length - 1)));
        case ADD -> {
          UUID id = UUID.fromString(in.readUTF());
          MemberAddress address = new MemberAddress(id, in.readUTF(), in.readInt(), in.readUTF());
          String instead = in.readUTF();
          require(Suitability.read(ByteBuffer.wrap(in.readAllBytes())));
          add(address, instead.isEmpty() ? null : UUID.fromString(instead));
        }
        case VACATE -> {
          String host = in.readUTF();
          int port = in.readInt();
          require(Suitability.read(ByteBuffer.wrap(in.readAllBytes())));
          vacate(host, port);
        }
        default -> throw new RaftException("A request for admission is not well-formed.");
      }
    }
  }

  private void require(Suitability server) throws RaftException {
    String difference = server.differenceFrom(own.get());
    if (difference != null) {
      throw new RaftException(UNFIT + difference + ".");
    }
  }

  private void add(MemberAddress address, @Nullable UUID instead) throws RaftException {
    RaftMember member = log.get();
    List<UUID> members =
        member.status().members().stream().map(each -> each.address().id()).toList();
    // A request that is repeated finds the place taken by the server that asks.
    if (instead != null && !members.contains(instead) && !members.contains(address.id())) {
      throw new RaftException("The cluster has no member " + instead + " to take the place of.");
    }
    if (instead == null) {
      member.add(address, ADDING);
    } else {
      member.replace(instead, address, ADDING);
    }
  }

  private void vacate(String host, int port) throws RaftException {
    RaftMember member = log.get();
    for (ClusterStatus.Peer each : member.status().members()) {
      MemberAddress former = each.address();
      if (former.host().equals(host) && former.port() == port) {
        if (asking.clusterAt(host, port) != null) {
          throw new RaftException(
              "The server at " + former.authority() + " belongs to a cluster: it is not lost.");
        }
        member.remove(former.id(), ADDING);
      }
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
