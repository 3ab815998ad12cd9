package org.nyala.cluster.join;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.raft.PeerRequestKind;
import org.nyala.cluster.raft.RaftException;
import org.nyala.cluster.raft.RaftMember;

/**
 * The question of a member to each new leader whether it would still be admitted: its configuration
 * or its version may be others since. Thread-safe.
 */
public final class FitCheck {
  private static final System.Logger LOG = System.getLogger(FitCheck.class.getName());
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** The pause after a question that was not answered: nothing depends on a quick answer. */
  private static final long AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

  private volatile @Nullable UUID asked;
  private volatile long askedNanos = System.nanoTime() - AGAIN_NANOS;
  private volatile @Nullable String difference;

  /**
   * Asks the leader, unless it was asked before. Returns at once.
   *
   * @param own the properties of this server
   */
  public void look(RaftMember log, Supplier<Suitability> own) {
    UUID leader = log.leader();
    if (leader != null && !leader.equals(log.id())) {
      look(leader, (kind, request, time) -> log.ask(leader, kind, request, time), own);
    }
  }

  /** Asks a leader, unless it has answered, or was asked a moment ago. */
  void look(UUID leader, Peer peer, Supplier<Suitability> own) {
    long now = System.nanoTime();
    if (leader.equals(asked) || now - askedNanos < AGAIN_NANOS) {
      return;
    }
    askedNanos = now;
    ByteBuffer question = AdmissionService.ask(own.get());
    asked = leader;
    var _ =
        peer.ask(PeerRequestKind.ADMISSION, question, PATIENCE)
            .whenComplete((_, e) -> learn(leader, e));
  }

  private void learn(UUID leader, @Nullable Throwable e) {
    Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
    String sentence = cause == null ? "" : String.valueOf(cause.getMessage());
    if (cause == null) {
      difference = null;
    } else if (cause instanceof RaftException && sentence.startsWith(AdmissionService.UNFIT)) {
      difference = sentence;
      LOG.log(
          System.Logger.Level.ERROR, "this member would not be admitted any more: {0}", sentence);
    } else if (leader.equals(asked)) {
      // It has not answered, or could not say: it may be busy, or not known here yet.
      asked = null;
    }
  }

  /** Returns why the leader would not admit this member, as a sentence; null if it would. */
  public @Nullable String difference() {
    return difference;
  }
}
