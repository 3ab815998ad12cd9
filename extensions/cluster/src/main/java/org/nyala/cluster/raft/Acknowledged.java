package org.nyala.cluster.raft;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/**
 * The entries that other members have acknowledged to this one while it led, and the question for
 * them. Thread-safe.
 *
 * <p>A member whose folder is put back from an older copy has forgotten entries and votes, and
 * cannot know it: with its vote, one that lacks an acknowledged entry could lead. So each member
 * asks the others before its log starts. It goes on if none of them knows anything, for else a
 * cluster that was stopped as a whole would never start.
 */
final class Acknowledged {
  /**
   * The time for all answers, which are asked for at once: a start takes so much longer only if the
   * machine of another member is away. The first connection of a busy one takes seconds.
   */
  private static final Duration ASKED = Duration.ofSeconds(5);

  private static final int ID_BYTES = 16;
  private static final long NOTHING = -1;

  private final Map<UUID, Long> known = new ConcurrentHashMap<>();
  private volatile RaftServer.@Nullable Division division;

  /** Begins to look at a log. */
  void start(RaftServer.Division started) {
    division = started;
  }

  /**
   * Notes what the others have acknowledged, if this member leads. Only what is committed counts:
   * other entries may be replaced by a later leader.
   */
  void note() {
    RaftServer.Division leading = division;
    if (leading != null) {
      long committed = ClusterView.committed(leading);
      for (ClusterStatus.Peer peer : ClusterView.followers(leading)) {
        known.merge(peer.address().id(), Math.min(peer.matched(), committed), Math::max);
      }
    }
  }

  /** Returns the service that answers how far a member, whose id is the request, had come. */
  PeerService service() {
    return request -> {
      if (request.remaining() != ID_BYTES) {
        return CompletableFuture.failedFuture(
            new RaftException(
                "The id of a member has "
                    + ID_BYTES
                    + " bytes; found "
                    + request.remaining()
                    + "."));
      }
      note();
      long index = known.getOrDefault(new UUID(request.getLong(), request.getLong()), NOTHING);
      return CompletableFuture.completedFuture(
          ByteBuffer.allocate(Long.BYTES).putLong(index).flip());
    };
  }

  /**
   * Refuses a folder that ends before what its member had acknowledged.
   *
   * @param last the last entry that the folder or the state has
   */
  static void check(MemberFolder folder, long last, @Nullable PeerTls tls) throws RaftException {
    List<CompletableFuture<Void>> asked = new ArrayList<>();
    for (MemberAddress other : folder.others()) {
      asked.add(
          CompletableFuture.runAsync(
              () -> check(folder, last, other, tls),
              task -> Thread.ofVirtual().name("nyala-cluster-ask").start(task)));
    }
    try {
      CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
          .get(ASKED.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // The rest does not answer.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new RaftException(RaftMember.cause(e), e);
    }
  }

  private static void check(
      MemberFolder folder, long last, MemberAddress other, @Nullable PeerTls tls) {
    long index;
    try (PeerClient client = PeerClient.open(other.host(), other.port(), ASKED, tls)) {
      if (!client.cluster().equals(folder.cluster())) {
        return;
      }
      UUID self = folder.member();
      ByteBuffer request =
          ByteBuffer.allocate(ID_BYTES)
              .putLong(self.getMostSignificantBits())
              .putLong(self.getLeastSignificantBits())
              .flip();
      index = client.ask(PeerRequestKind.ACKNOWLEDGED, request, ASKED).get().getLong();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    } catch (RaftException | ExecutionException | RuntimeException e) {
      return; // it does not answer, or does not know this question
    }
    if (index > last) {
      throw new IllegalStateException(
          "The member "
              + other
              + " has seen this one acknowledge entry "
              + index
              + ", and its folder ends at entry "
              + last
              + ": it is an older copy; remove the member, and have it join anew.");
    }
  }
}
