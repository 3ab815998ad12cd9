package org.nyala.core.replica;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Epoch;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.directory.ChangeWriters;
import org.nyala.core.directory.ContextRef;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.replica.ReplicaException.Kind;
import org.nyala.core.update.EpochNotice;
import org.nyala.core.update.UpdateContext;

/**
 * The epochs of a copy, as it exchanges them with its provider.
 *
 * <p>Confined to one thread at a time.
 */
final class CopyEpochs {
  private final ContextRef current;
  private final Dn suffix;

  /** The epochs that the provider has told of last; null if it tells of none. */
  private @Nullable ContextEpochs told;

  /** The epochs that the provider was told. */
  private ContextEpochs sent = ContextEpochs.NONE;

  CopyEpochs(ContextRef current, Dn suffix) {
    this.current = current;
    this.suffix = suffix;
  }

  /** Returns those that are known here. */
  ContextEpochs of(Backend backend) {
    try (ReadTransaction transaction = backend.beginRead()) {
      return transaction.epochs(suffix);
    }
  }

  /**
   * Returns the question to the provider for the epochs that it knows.
   *
   * @param isAnew true if nothing counts that is here
   */
  SyncCookie question(Backend backend, int replicaId, boolean isAnew) {
    return isAnew
        ? SyncCookie.ofQuestion(replicaId, ContextEpochs.NONE, CsnVector.EMPTY)
        : SyncCookie.ofQuestion(replicaId, of(backend), KnownChanges.of(backend, suffix).given());
  }

  /** Begins a synchronization. */
  void begin(Backend backend) {
    told = null;
    sent = of(backend);
  }

  /** Returns those that the provider is told when a synchronization begins. */
  ContextEpochs sent() {
    return sent;
  }

  /** Notes those of the data that a refresh leads to. */
  void told(ContextEpochs epochs) {
    told = epochs;
  }

  /**
   * Takes note of the epochs that another server knows; see {@link Replica#hear}.
   *
   * @throws ReplicaException if the note cannot be stored
   */
  void hear(Backend backend, ContextEpochs known, boolean isCopy) throws ReplicaException {
    ContextEpochs here = of(backend);
    boolean isLater = known.ours().number() > here.ours().number();
    ContextEpochs news = isCopy && isLater ? new ContextEpochs(Epoch.NONE, known.heard()) : known;
    if (here.hear(news) == here) {
      return;
    }
    OperationContext directory = current.get();
    ChangeWriters writers = directory.runtime().writers();
    CompletableFuture<LdapResult> answer = new CompletableFuture<>();
    EpochNotice notice =
        new EpochNotice(
            suffix,
            news,
            directory.updating().consumed(),
            directory.runtime().feed(),
            answer::complete);
    try {
      writers.submit(backend, notice);
    } catch (LdapOperationException e) {
      throw new ReplicaException(Kind.AGAIN, String.valueOf(e.getMessage()));
    }
    LdapResult result = writers.await(answer);
    if (result.code() != ResultCode.SUCCESS) {
      throw new ReplicaException(Kind.AGAIN, "epochs cannot be stored: " + result.message());
    }
  }

  /**
   * Requires that the provider was told of all that are known here.
   *
   * @throws ReplicaException if this server has heard of another one meanwhile
   */
  void requireTold(Backend backend) throws ReplicaException {
    if (!of(backend).heard().equals(sent.heard())) {
      throw new ReplicaException(
          Kind.AGAIN, "another server was promoted, of which the provider has to be told");
    }
  }

  /** Returns the note to make with the end of a refresh. */
  Note note(boolean isAnew) {
    return new Note(suffix, told, isAnew, sent);
  }

  /** Notes that the note is made. */
  void noted(Note note) {
    sent = note.after(sent);
  }

  /**
   * The note that a copy is of the epoch of its provider, at the end of a refresh.
   *
   * <p>Immutable.
   *
   * @param told the epochs of the provider; null if it tells of none
   * @param isAnew true if nothing counts that was here before
   * @param sent the epochs when the refresh began
   */
  record Note(Dn suffix, @Nullable ContextEpochs told, boolean isAnew, ContextEpochs sent) {
    /** Returns whether there is anything to note. */
    boolean isNews() {
      return !after(sent).equals(sent);
    }

    private ContextEpochs after(ContextEpochs before) {
      ContextEpochs provided = told;
      return provided == null ? before : isAnew ? provided : before.follow(provided);
    }

    /** Makes it in the turn of the writer. */
    void put(UpdateContext context) {
      ContextEpochs before = context.transaction().epochs(suffix);
      ContextEpochs after = after(before);
      if (!after.equals(before)) {
        context.note(suffix, after);
      }
    }
  }
}
