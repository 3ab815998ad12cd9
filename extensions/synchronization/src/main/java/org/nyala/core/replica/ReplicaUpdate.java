package org.nyala.core.replica;

import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.replica.ReplicaException.Kind;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * Messages on their way through the writer. Once one of a synchronization has failed, later ones do
 * nothing: what comes after it cannot be on disk without it.
 *
 * <p>Confined to one thread at a time, like all updates.
 */
final class ReplicaUpdate implements Update {
  private final ReplicaSession session;
  private final Work work;
  private final Runnable done;
  private final int messages;
  private final long bytes;
  private @Nullable ReplicaException refusal;
  private boolean hadTurn;
  private boolean hasNoted;

  /** The work of a turn. */
  @FunctionalInterface
  interface Work {
    /**
     * Does it.
     *
     * @throws ReplicaException if the synchronization cannot go on; then nothing was changed
     */
    void run(UpdateContext context) throws ReplicaException;
  }

  /**
   * Creates an update.
   *
   * @param work done in the writer's turn, again if that is repeated
   * @param done called once it is on disk, on the writer's thread
   * @param messages the places that it holds of the session's window
   * @param bytes the memory that it holds of it
   */
  ReplicaUpdate(ReplicaSession session, Work work, Runnable done, int messages, long bytes) {
    this.session = session;
    this.work = work;
    this.done = done;
    this.messages = messages;
    this.bytes = bytes;
  }

  @Override
  public boolean isWanted() {
    return !session.isOver();
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    refusal = null;
    hadTurn = true;
    try {
      hasNoted = session.run(work, context);
      return LdapResult.SUCCESS;
    } catch (ReplicaException e) {
      refusal = e;
      // At once: updates of the same commit may follow.
      session.fail(e);
      throw new LdapOperationException(ResultCode.OTHER, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void answer(LdapResult result) {
    try {
      if (result.code() == ResultCode.SUCCESS) {
        if (hasNoted) {
          session.halfNoted();
        }
        done.run();
      } else if (refusal == null && (hadTurn || !session.isOver())) {
        session.failToWrite(
            new ReplicaException(
                Kind.AGAIN,
                "a change cannot be written: " + result.code() + " " + result.message()));
      }
    } finally {
      session.window().leave(messages, bytes);
    }
  }
}
