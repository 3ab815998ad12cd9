package org.nyala.core.update;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntrySnapshot;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.integrity.RuleWork;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.load.ExtendedSchema;

/**
 * The context in which an {@link Update} runs during its turn.
 *
 * <p>Confined to the writer's thread.
 */
public final class UpdateContext {
  private final Backend backend;
  private final WriteTransaction transaction;
  private final ChangeClock clock;
  private final ChangePolicy policy;
  private final BatchMemory memory;
  private final RuleWork work;
  private final List<CommittedChange> log = new ArrayList<>();
  private final ChangeListener.Images images;
  private final @Nullable EntryView imaged;

  /** The number of the change that is about to be applied; null if none was given yet. */
  private @Nullable Csn pending;

  private boolean isAlone;
  private boolean hasOtherSchema;
  private boolean hasNotes;
  private boolean isReplaced;
  private @Nullable Predicate<ResolvedChange> tested;
  private int testedChanges;
  private boolean isFound;

  UpdateContext(
      Backend backend,
      WriteTransaction transaction,
      ChangeClock clock,
      ChangePolicy policy,
      ChangeListener.Images images,
      BatchMemory memory) {
    this.memory = memory;
    this.images = images;
    this.imaged = images == ChangeListener.Images.NONE ? null : new EntryView();
    this.policy = policy;
    this.work = new RuleWork(policy.ruleLookups());
    this.backend = backend;
    this.transaction = transaction;
    this.clock = clock;
  }

  /** Begins the turn of an update. */
  void begin(Update update) {
    memory.begin(update);
    work.begin(update.memory() != null);
  }

  /** The store that is changed. */
  public Backend backend() {
    return backend;
  }

  /** Returns the work that rules may still do for the update ({@code limits.ruleLookups}). */
  public Pace work() {
    return work;
  }

  /** The state to resolve against. Changes go through {@link #apply}, never past it. */
  public WriteTransaction transaction() {
    return transaction;
  }

  public ChangeClock clock() {
    return clock;
  }

  /** A change sequence number for the change that is about to be applied. */
  public String nextCsn() {
    Csn csn = clock.next();
    pending = csn;
    return csn.toString();
  }

  /**
   * Applies a change and the changes that follow from it.
   *
   * @return the entry id of the entry that was changed, added or deleted
   * @throws LdapOperationException if another server changes the entry, a rule refuses the change,
   *     or its change sequence number cannot be used; then nothing was applied
   */
  public long apply(ResolvedChange change, ChangeCause cause) throws LdapOperationException {
    requireOwn(change);
    Csn foreign = foreignCsn(change);
    if (policy.rules().isEmpty()) {
      return applyOne(change, foreign, cause);
    }
    List<ResolvedChange.Modify> derived = new ArrayList<>(0);
    for (ChangeRule rule : policy.rules()) {
      rule.check(transaction, change, cause, derived, work);
      work.require();
    }
    long id = applyOne(change, foreign, cause);
    for (ResolvedChange.Modify each : derived) {
      if (policy.consumed().holds(each.dn())) {
        // The provider repairs references itself.
        continue;
      }
      OperationalAttributes.Stamp stamp =
          OperationalAttributes.Stamp.next(this, cause.identity().dn());
      applyOne(
          new ResolvedChange.Modify(
              each.dn(), each.entryId(), policy.operational().stamped(each.changes(), stamp)),
          null,
          cause);
    }
    return id;
  }

  /** Refuses a change that was begun before its naming context became a copy. */
  private void requireOwn(ResolvedChange change) throws LdapOperationException {
    if (!policy.consumed().isEmpty()) {
      policy.consumed().requireOwn(change.dn());
      if (change instanceof ResolvedChange.Rename rename) {
        policy.consumed().requireOwn(rename.newDn());
      }
    }
  }

  /**
   * Applies a change that another server has made and checked: as it is, without rules and without
   * changes that follow from it.
   *
   * @param csn the number that the change has there, greater than those of earlier changes of the
   *     same server in the naming context; null if it has none: a part of a refresh, whose place
   *     among other changes is not known, or a rename that the provider has not made, to make room
   * @return the entry id of the entry that was changed, added or deleted
   */
  public long replicate(ResolvedChange change, @Nullable Csn csn) {
    return replicate(change, csn, Dn.EMPTY);
  }

  /**
   * Applies a change that another server has made, as {@link #replicate(ResolvedChange, Csn)} does.
   *
   * @param author the name of the requester there; empty if it is not known
   */
  public long replicate(ResolvedChange change, @Nullable Csn csn, Dn author) {
    if (csn != null) {
      clock.follow(csn);
    }
    EntrySnapshot before = csn == null ? null : imageBefore(change);
    transaction.author(author);
    long id = csn == null ? transaction.apply(change) : transaction.apply(change, csn);
    boolean isDelete = change instanceof ResolvedChange.Delete;
    log.add(
        new CommittedChange(
            change,
            id,
            csn == null ? Csn.FIRST : csn,
            csn == null || isDelete ? before : image(id),
            isDelete ? null : before,
            movesSubordinates(change, id),
            author));
    return id;
  }

  /** Notes that the naming context of a name has changes that another server has made. */
  public void follow(Dn name, CsnVector csns) {
    for (Csn csn : csns.csns()) {
      clock.follow(csn);
      transaction.note(name, csn);
    }
    hasNotes = true;
  }

  /** Goes on after the numbers of changes that this server has not made itself. */
  public void goOnAfter(CsnVector csns) {
    csns.csns().forEach(clock::follow);
  }

  /** Notes that a naming context became writable here, or a copy again. */
  public void note(Dn suffix, Promotion promotion) {
    transaction.note(suffix, promotion);
    hasNotes = true;
  }

  /** Gives a naming context another history; see {@link WriteTransaction#note}. */
  public void note(Dn suffix, ContextHistory history) {
    transaction.note(suffix, history);
    hasNotes = true;
  }

  /**
   * Has the transaction committed even if nothing is changed: the first commit since the start
   * continues the histories of the store.
   */
  public void touch() {
    hasNotes = true;
  }

  /** Has the listeners learn that the store's state was replaced, after the transaction. */
  public void replaced() {
    isReplaced = true;
  }

  /** Returns whether they are to learn of it. */
  boolean isReplaced() {
    return isReplaced;
  }

  /** Continues the histories of the store in another run of the server. */
  void beginRun() {
    for (Dn suffix : backend.namingContexts()) {
      ContextHistory history = transaction.history(suffix);
      CsnVector present = present(suffix);
      if (history == null || present == null) {
        // It begins with the first change.
        continue;
      }
      transaction.note(suffix, history.continued(present));
    }
  }

  private @Nullable CsnVector present(Dn suffix) {
    try (ChangeJournal journal = transaction.journal(suffix)) {
      return journal == null ? null : journal.present();
    }
  }

  /** Notes the epochs of a naming context; see {@link WriteTransaction#note}. */
  public void note(Dn suffix, ContextEpochs epochs) {
    transaction.note(suffix, epochs);
    hasNotes = true;
  }

  /** Notes the history that a copy is made from; see {@link WriteTransaction#noteSource}. */
  public void noteSource(Dn suffix, CopySource source) {
    transaction.noteSource(suffix, source);
    hasNotes = true;
  }

  /**
   * Ends a refresh of a naming context from another server; see {@link WriteTransaction#raise}.
   *
   * @param csns the changes that the naming context has now
   */
  public void endRefresh(Dn name, CsnVector csns) {
    csns.csns().forEach(clock::follow);
    transaction.raise(name, csns);
    hasNotes = true;
  }

  /**
   * Ends a refresh of a naming context from nothing, from a server that lacks changes that it had;
   * see {@link WriteTransaction#replace}.
   *
   * @param csns the changes that the naming context has now
   */
  public void replaceNumbers(Dn name, CsnVector csns) {
    csns.csns().forEach(clock::follow);
    transaction.replace(name, csns);
    hasNotes = true;
  }

  /**
   * Returns the number that the client gives to the entry with relaxed rules; null if the entry
   * gets the one of the change.
   */
  private @Nullable Csn foreignCsn(ResolvedChange change) throws LdapOperationException {
    byte[] value = policy.operational().csn(change);
    if (value == null) {
      return null;
    }
    Csn csn = Csn.parse(value, 0, value.length);
    if (csn == null) {
      throw new LdapOperationException(
          ResultCode.CONSTRAINT_VIOLATION, "the time of entryCSN does not exist");
    }
    if (csn.equals(pending)) {
      return null;
    }
    if (!clock.take(csn)) {
      throw new LdapOperationException(
          ResultCode.CONSTRAINT_VIOLATION,
          "entryCSN is more than " + Csn.MOST_AHEAD.toHours() + " hours ahead of the clock");
    }
    return csn;
  }

  private long applyOne(ResolvedChange change, @Nullable Csn foreign, ChangeCause cause) {
    EntrySnapshot before = imageBefore(change);
    Csn given = pending;
    Csn csn = given == null ? clock.next() : given;
    pending = null;
    transaction.author(cause.identity().dn());
    long id = transaction.apply(change, csn);
    if (foreign != null) {
      transaction.note(
          change instanceof ResolvedChange.Rename rename ? rename.newDn() : change.dn(), foreign);
    }
    boolean isDelete = change instanceof ResolvedChange.Delete;
    log.add(
        new CommittedChange(
            change,
            id,
            csn,
            isDelete ? before : image(id),
            isDelete ? null : before,
            movesSubordinates(change, id),
            cause.identity().dn()));
    return id;
  }

  private boolean movesSubordinates(ResolvedChange change, long id) {
    return change instanceof ResolvedChange.Rename
        && images == ChangeListener.Images.BOTH
        && transaction.hasSubordinates(id);
  }

  /** Returns the image of an entry before a change, if it is wanted or the entry disappears. */
  private @Nullable EntrySnapshot imageBefore(ResolvedChange change) {
    return switch (change) {
      case ResolvedChange.Add _ -> null;
      case ResolvedChange.Delete delete -> image(delete.entryId());
      case ResolvedChange.Modify modify -> formerImage(modify.entryId());
      case ResolvedChange.Rename rename -> formerImage(rename.entryId());
    };
  }

  private @Nullable EntrySnapshot formerImage(long entryId) {
    return images == ChangeListener.Images.BOTH ? image(entryId) : null;
  }

  /** Returns whether the update that has its turn is the only one of its transaction. */
  public boolean isAlone() {
    return isAlone;
  }

  void alone() {
    isAlone = true;
  }

  /**
   * Keeps other definitions; see {@link WriteTransaction#changeSchema}. Neither rules nor listeners
   * are notified of it.
   */
  public void changeSchema(ExtendedSchema schema) {
    transaction.changeSchema(schema);
    hasOtherSchema = true;
  }

  /** Returns whether there is anything to commit. */
  boolean hasChanges() {
    return hasOtherSchema || hasNotes || !log.isEmpty();
  }

  private @Nullable EntrySnapshot image(long entryId) {
    EntryView view = imaged;
    if (view == null || !transaction.read(entryId, view)) {
      return null;
    }
    memory.take(view.recordLength());
    return EntrySnapshot.of(view, transaction.attributes());
  }

  /**
   * Takes memory for an entry that the update is about to change, before anything is changed.
   *
   * @throws LdapOperationException busy if there is no room for it, adminLimitExceeded when there
   *     never is
   */
  public void takeMemory(long bytes) throws LdapOperationException {
    if (!memory.tryTake(bytes)) {
      throw memory.couldTake(bytes)
          ? new LdapOperationException(ResultCode.BUSY, "there is no memory to change the entry in")
          : new LdapOperationException(
              ResultCode.ADMIN_LIMIT_EXCEEDED, "the entry takes more memory than one client may");
    }
  }

  /** Takes memory for an answer that exists already. */
  public void takeAnswer(long bytes) {
    memory.take(bytes);
  }

  /**
   * Returns the changes applied in the transaction so far, including those of updates before this
   * one.
   */
  public List<CommittedChange> applied() {
    return Collections.unmodifiableList(log);
  }

  /**
   * Returns whether one of the changes applied so far fits a test. Asked again with the same test,
   * it looks at those that have come since.
   */
  public boolean hasApplied(Predicate<ResolvedChange> test) {
    if (test != tested) {
      tested = test;
      testedChanges = 0;
      isFound = false;
    }
    while (!isFound && testedChanges < log.size()) {
      isFound = test.test(log.get(testedChanges).change());
      testedChanges++;
    }
    return isFound;
  }

  /** Returns the changes applied so far. */
  List<CommittedChange> log() {
    return log;
  }

  /** Discards the changes after the first {@code size} ones: they were undone. */
  void truncateLog(int size) {
    log.subList(size, log.size()).clear();
    tested = null;
  }
}
