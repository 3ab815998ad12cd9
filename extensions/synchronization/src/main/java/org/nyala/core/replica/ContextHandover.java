package org.nyala.core.replica;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.ContextRef;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The passing of a naming context from its provider to this server, and back. Each step is one turn
 * of the writer: requests before it are answered by the old state, those after it by the new one.
 *
 * <p>Thread-safe. Blocks: for threads of management. While a step is made, nothing is synchronized.
 *
 * @param current the directory
 * @param suffix the naming context, which a store holds
 */
public record ContextHandover(ContextRef current, Dn suffix) {
  /** Returns the number of this server in changes that it makes. */
  public int serverId() {
    return current.get().updating().serverId();
  }

  /** Returns the time of day. */
  public Instant instant() {
    return current.get().updating().instant();
  }

  /** Returns whether nothing may be changed now. */
  public boolean isReadOnly() {
    return current.get().updating().isClosed();
  }

  /** Returns whether another member of a cluster makes all changes. */
  public boolean isElsewhere() {
    return backend().writingTerm() < 0;
  }

  /** Returns the changes that the naming context has. */
  public CsnVector present() {
    return KnownChanges.of(backend(), suffix);
  }

  /** Returns the note of the last promotion; null if there was none. */
  public @Nullable Promotion promotion() {
    try (ReadTransaction transaction = backend().beginRead()) {
      return transaction.promotion(suffix);
    }
  }

  /**
   * Returns the address of the provider of a refresh that has begun and not ended; null if there is
   * none.
   */
  public @Nullable String unfinished() {
    try (ReadTransaction transaction = backend().beginRead()) {
      CopySource source = transaction.source(suffix);
      return source != null && source.isHalf() ? source.provider() : null;
    }
  }

  public ContextEpochs epochs() {
    try (ReadTransaction transaction = backend().beginRead()) {
      return transaction.epochs(suffix);
    }
  }

  private Backend backend() {
    Backend backend = current.get().contexts().backendOf(suffix);
    if (backend == null) {
      throw new IllegalStateException("no store holds " + suffix);
    }
    return backend;
  }

  /**
   * Makes the naming context writable here, by one commit, in the next epoch; its first change is
   * later than all that it has.
   *
   * @param expected the changes that it must have in that turn; null for any
   * @param isWhole false if a refresh may have left changes without numbers: whoever follows this
   *     server is told to compare everything then
   * @param provider the address of the server that changed it so far
   * @throws LdapOperationException if it has other changes, or the commit failed; nothing was
   *     changed then
   */
  public Promotion promote(@Nullable CsnVector expected, boolean isWhole, String provider)
      throws LdapOperationException {
    Promotion promotion = new Promotion(true, serverId(), instant(), provider);
    submit(
        context -> {
          CsnVector present = KnownChanges.of(context.transaction(), suffix);
          if (expected != null && !present.equals(expected)) {
            throw new LdapOperationException(
                ResultCode.UNWILLING_TO_PERFORM,
                "the copy has changed meanwhile, from " + expected + " to " + present);
          }
          context.follow(suffix, present);
          CopySource source = context.transaction().source(suffix);
          if (!isWhole) {
            context.endRefresh(suffix, present.with(context.clock().next()));
          }
          if (source != null && source.isHalf()) {
            context.noteSource(suffix, source.ended());
          }
          context.note(suffix, promotion);
          beginEpoch(context);
        },
        directory -> {
          directory.updating().consumed().remove(suffix);
          epochBegun(directory, !isWhole);
        });
    return promotion;
  }

  /**
   * Begins the next epoch of a naming context that this server changes, or has changed until
   * another one was promoted: it is the one that changes it from then on.
   *
   * @throws LdapOperationException if the commit failed; nothing was changed then
   */
  public void raise() throws LdapOperationException {
    submit(this::beginEpoch, directory -> epochBegun(directory, false));
  }

  private void beginEpoch(UpdateContext context) {
    context.note(suffix, context.transaction().epochs(suffix).promoted(serverId()));
  }

  /** Lets clients change the naming context once its epoch is on disk, and tells all copies. */
  private void epochBegun(OperationContext directory, boolean isRepaired) {
    directory.updating().consumed().restore(suffix);
    if (isRepaired) {
      directory.runtime().feed().refreshed(suffix, true);
    } else {
      directory.runtime().feed().promoted(suffix);
    }
  }

  /**
   * Ends the changes of this server for a while: later requests are answered as busy, and all
   * earlier ones are on disk when it returns. A restart forgets it.
   *
   * @throws LdapOperationException if the writer has stopped
   */
  public void close() throws LdapOperationException {
    ConsumedContexts consumed = current.get().updating().consumed();
    passOrUndo(_ -> consumed.close(suffix), this::reopen);
  }

  /** Has the writer do something that is undone if that does not succeed. */
  private void passOrUndo(Step step, Runnable undo) throws LdapOperationException {
    boolean isDone = false;
    try {
      submit(step, _ -> {});
      isDone = true;
    } finally {
      if (!isDone) {
        undo.run();
      }
    }
  }

  /** Lets this server change the naming context again. */
  public void reopen() {
    current.get().updating().consumed().reopen(suffix);
  }

  /**
   * Ends all changes of clients and of the server itself until {@link #thaw}: later requests are
   * refused, and all earlier ones are on disk when it returns. A copy goes on to follow its
   * provider, and whoever follows this server is told what is changed. A restart forgets it.
   *
   * @throws LdapOperationException if the writer has stopped; nothing was changed then
   */
  public void freeze() throws LdapOperationException {
    ConsumedContexts consumed = current.get().updating().consumed();
    passOrUndo(_ -> consumed.freeze(suffix), this::thaw);
  }

  /** Lets the naming context be changed again. */
  public void thaw() {
    current.get().updating().consumed().thaw(suffix);
  }

  /**
   * Notes that a closed naming context is a copy again. Clients are referred once that is on disk.
   *
   * @param promotion the note in force
   * @param urls the servers to which clients are referred; none to refuse their requests
   * @throws LdapOperationException if the commit failed; nothing was changed then
   */
  public void follow(Promotion promotion, List<String> urls) throws LdapOperationException {
    Csn last = present().of(serverId());
    Promotion ended =
        last == null || !promotion.covers(last) ? promotion.ended() : promotion.ended(serverId());
    submit(
        context -> context.note(suffix, ended),
        directory -> directory.updating().consumed().add(suffix, urls));
  }

  /**
   * Has the writer take a step, and waits until it is on disk.
   *
   * @param done is called once it is on disk, on the writer's thread
   */
  private void submit(Step step, Consumer<OperationContext> done) throws LdapOperationException {
    OperationContext directory = current.get();
    Turn turn = new Turn(directory, step, done, new CompletableFuture<>());
    directory.runtime().writers().submit(backend(), turn);
    LdapResult result = directory.runtime().writers().await(turn.answer);
    if (result.code() != ResultCode.SUCCESS) {
      throw new LdapOperationException(result);
    }
  }

  @FunctionalInterface
  private interface Step {
    /** Does it in the writer's turn; again if that is repeated. */
    void apply(UpdateContext context) throws LdapOperationException;
  }

  /**
   * A step on its way through the writer.
   *
   * <p>Confined to one thread at a time, like all updates.
   */
  private record Turn(
      OperationContext directory,
      Step step,
      Consumer<OperationContext> done,
      CompletableFuture<LdapResult> answer)
      implements Update {
    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      step.apply(context);
      return LdapResult.SUCCESS;
    }

    @Override
    public void answer(LdapResult result) {
      try {
        if (result.code() == ResultCode.SUCCESS) {
          done.accept(directory);
        }
      } finally {
        // Those who wait for it must not do so for ever.
        answer.complete(result);
      }
    }
  }
}
