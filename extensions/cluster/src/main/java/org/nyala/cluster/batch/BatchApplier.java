package org.nyala.cluster.batch;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;

/**
 * The application of batches to a store. It reads nothing but the batch and the store: no clock,
 * configuration or locale.
 *
 * <p>Confined to the thread of the transaction.
 */
public final class BatchApplier {
  private final WriteTransaction transaction;
  private final Changes changes;
  private final List<Csn> numbers = new ArrayList<>();
  private final FollowedNotes notes = new FollowedNotes();
  private Dn author = Dn.EMPTY;

  /** The way by which changes come into the transaction. */
  @FunctionalInterface
  public interface Changes {
    /**
     * Applies a change.
     *
     * @return the entry id of the entry that was changed, added or deleted
     */
    long apply(ResolvedChange change, @Nullable Csn csn, Dn author);
  }

  /**
   * Applies to a transaction.
   *
   * @param changes applies changes to the same transaction
   */
  public BatchApplier(WriteTransaction transaction, Changes changes) {
    this.transaction = transaction;
    this.changes = changes;
  }

  /** Applies to a transaction, of which nobody is told. */
  public static BatchApplier silent(WriteTransaction transaction) {
    return new BatchApplier(
        transaction,
        (change, csn, _) ->
            csn == null ? transaction.apply(change) : transaction.apply(change, csn));
  }

  /**
   * Applies a batch.
   *
   * @throws InvalidBatchException if the store is not in the state that the batch was made from, or
   *     gives an entry another id; the transaction is then to be given up
   */
  public void apply(Batch batch) throws InvalidBatchException {
    String difference = batch.before().difference(Before.of(transaction));
    if (difference != null) {
      throw new InvalidBatchException(difference);
    }
    author = Dn.EMPTY;
    for (RecordedCall call : batch.calls()) {
      apply(call);
      notes.take(call);
    }
  }

  /** Returns the numbers of the changes so far, the largest one of each server. */
  public CsnVector numbers() {
    return CsnVector.ofLargest(numbers);
  }

  /** Returns the notes of the batches so far. */
  public FollowedNotes notes() {
    return notes;
  }

  private void apply(RecordedCall call) throws InvalidBatchException {
    switch (call) {
      case RecordedCall.Applied applied -> change(applied);
      case RecordedCall.Authored authored -> author = authored.author();
      case RecordedCall.Numbered numbered -> {
        numbers.add(numbered.csn());
        transaction.note(numbered.name(), numbered.csn());
      }
      case RecordedCall.Raised raised -> {
        numbers.addAll(raised.csns().csns());
        transaction.raise(raised.name(), raised.csns());
      }
      case RecordedCall.Replaced replaced -> {
        numbers.addAll(replaced.csns().csns());
        transaction.replace(replaced.name(), replaced.csns());
      }
      case RecordedCall.Promoted promoted ->
          transaction.note(promoted.suffix(), promoted.promotion());
      case RecordedCall.Continued continued ->
          transaction.note(continued.suffix(), continued.history());
      case RecordedCall.Sourced sourced ->
          transaction.noteSource(sourced.suffix(), sourced.source());
      case RecordedCall.Epochs epochs -> transaction.note(epochs.suffix(), epochs.epochs());
      case RecordedCall.Defined defined -> transaction.changeSchema(defined.schema());
    }
  }

  private void change(RecordedCall.Applied applied) throws InvalidBatchException {
    Csn csn = applied.csn();
    if (csn != null) {
      numbers.add(csn);
    }
    long id = changes.apply(applied.change(), csn, author);
    if (id != applied.entryId()) {
      throw new InvalidBatchException(
          "the entry "
              + applied.change().dn()
              + " has the id "
              + applied.entryId()
              + " there and "
              + id
              + " here");
    }
  }
}
