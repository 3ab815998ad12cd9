package org.nyala.cluster;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/**
 * The log of a cluster: one order of entries for all members, each kept durably by a majority
 * before it is delivered. The engine behind it is a matter of its own: Raft between processes, or a
 * simulation in one thread.
 *
 * <p>Thread-safe.
 */
public interface ReplicatedLog extends AutoCloseable {
  /**
   * The state that follows the log. The log calls its methods one after the other, in the order of
   * what they tell, and waits for none of the stages that they return before the next call.
   */
  interface Member {
    /**
     * Returns the place up to which the state has everything, as its own storage says. Asked before
     * the first delivery and after {@link #copy}.
     */
    LogPosition applied();

    /**
     * Takes a committed entry, which follows all that were delivered before.
     *
     * @param entry its bytes, from position to limit; valid until the stage is complete
     * @return a stage that completes once the entry is applied, or fails if it cannot be: then the
     *     log delivers nothing more and calls {@link #failed}
     */
    CompletionStage<Void> committed(LogPosition at, ByteBuffer entry);

    /** Learns that the log has reached a place without an entry for the state. */
    void passed(LogPosition at);

    /**
     * Learns that this member leads in a term, and that everything committed in earlier terms has
     * been delivered: it may propose.
     */
    void leads(long term);

    /**
     * Learns that this member does not lead any more. What it has proposed and was not delivered
     * stays open: it may be delivered later, or never.
     */
    void follows();

    /**
     * Fetches a copy of another member's state, because the log does not reach back far enough.
     *
     * @param first the first place that is available as an entry
     * @return a stage with the place up to which the state has everything then
     */
    CompletionStage<LogPosition> copy(LogPosition first);

    /** Learns that the log has failed for good: the member must stop. */
    void failed(Throwable cause);
  }

  /** The fate of a proposal as far as the log knows it. */
  enum Outcome {
    /** It was never appended, and never will be: another member may be asked. */
    REFUSED,
    /** It was delivered to the member that proposed it. */
    COMMITTED,
    /**
     * It was appended, and leadership was lost, or nothing was heard of it in time: it may be
     * delivered later, or never.
     */
    UNKNOWN
  }

  /**
   * Proposes an entry, which this member must lead for. Returns at once.
   *
   * <p>The term is a fence. An entry is made from the state that its leader has in that term: after
   * a lost and regained leadership others may have changed the state, and the entry would follow
   * upon what it does not fit. So it is appended in that term or never.
   *
   * <p>The stage says what the log knows, and never fails. An entry is recognised by what it
   * contains when it is delivered: it may be at any place, also after {@link Outcome#UNKNOWN}.
   *
   * @param term the term of {@link Member#leads} that the entry was made in; the entry is refused
   *     unless this member appends it as the leader of that term
   * @param entry its bytes, from position to limit, at most {@link #mostBytes}; unchanged until the
   *     stage is complete
   */
  CompletionStage<Outcome> propose(long term, ByteBuffer entry);

  /** The largest entry in bytes that {@link #propose} does not refuse. */
  int mostBytes();

  /**
   * Appends an entry of the log's own, which no state sees. Once it is committed and everything
   * before it is delivered here, a read shows all that any member had acknowledged before this
   * call: linearizable reads wait for it.
   *
   * @return a stage with the place of the entry, which fails if there is no leader in time
   */
  CompletionStage<LogPosition> barrier();

  /** Says that the state keeps everything up to a place durably: the log may drop it. */
  void kept(LogPosition upTo);

  /**
   * Says that the state cannot go on: this member leads and follows no more, so that another one
   * can lead. Returns at once; idempotent.
   *
   * @param reason a sentence
   */
  void failed(String reason);

  /** Ends the part of this member; idempotent. Proposals that wait become {@code UNKNOWN}. */
  @Override
  void close();
}
