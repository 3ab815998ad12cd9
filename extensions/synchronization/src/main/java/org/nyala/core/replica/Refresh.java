package org.nyala.core.replica;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.directory.ContextRef;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.replica.Placeholders.LostNames;
import org.nyala.core.replica.ReplicaException.Kind;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The deletions of a refresh, and its end: puts entries in their places that could not go there
 * before, and deletes what the provider no longer has.
 *
 * <p>Confined to the thread that brings the messages.
 */
final class Refresh {
  private static final System.Logger LOG = System.getLogger(Refresh.class.getName());

  /** The entries that one update deletes: other updates are to get their turns in between. */
  private static final int SLICE = 256;

  /** The rounds in which entries find their places: each moves some, or is the last one. */
  private static final int MOST_ROUNDS = 100_000;

  /** The times that names are given back before others are tried again. */
  private static final int MOST_TURNS = 100;

  private final ContextRef current;
  private final Backend backend;
  private final ReplicaSession session;
  private final WaitingEntries waiting;
  private final CountedChanges changes;
  private final LostNames lost;
  private final Dn suffix;
  private long deleted;

  /** True until the provider has sent or named an entry that it has. */
  private boolean isFirst = true;

  /** True if a present phase was not judged yet. */
  private boolean isPending;

  private boolean isJudged;

  /** The changes after which entries came without numbers, and may be lost; null if none are. */
  private @Nullable CsnVector trusted;

  /** The entries that are gone at the provider, with others below them here that it has named. */
  private final EntryIds left = new EntryIds();

  Refresh(
      ContextRef current,
      Backend backend,
      ReplicaSession session,
      WaitingEntries waiting,
      CountedChanges changes,
      LostNames lost) {
    this.current = current;
    this.backend = backend;
    this.session = session;
    this.waiting = waiting;
    this.changes = changes;
    this.lost = lost;
    this.suffix = session.tree().suffix();
  }

  /**
   * Has entries count as absent that the provider does not name, though it does not know their last
   * changes, if they came from a refresh that was not ended: it has lost them.
   *
   * @param numbered the changes that have come with their numbers; null if there was none such
   */
  void distrustAfter(@Nullable CsnVector numbered) {
    trusted = numbered;
  }

  /**
   * Deletes what the provider has deleted before it sends the first entry: a full store has room
   * for that entry then. Whatever the guard does not allow, and what others stand below, waits for
   * the end.
   */
  void deleteFirst(DeletionGuard guard) throws ReplicaException, InterruptedException {
    if (!isFirst) {
      return;
    }
    isFirst = false;
    session.settle();
    EntryIds gone = new EntryIds();
    gone.addAll(session.tree().doomed());
    long count = gone.size();
    if (count > 0 && !gone.contains(ContextWalk.top(backend, suffix)) && isAllowed(guard, count)) {
      deleteRounds(gone);
      deleted += count - gone.size();
    }
  }

  private boolean isAllowed(DeletionGuard guard, long count) {
    boolean isFew = count <= ReplicaSettings.UNGUARDED_DELETIONS;
    return isFew || guard.allows(count, ContextWalk.count(backend, suffix), false);
  }

  /** Has parents made that have not come, if more entries wait for theirs than have room. */
  void relieve() throws ReplicaException, InterruptedException {
    if (!waiting.isOverfull()) {
      return;
    }
    place();
    if (waiting.isOverfull() && !session.tree().makesPlaceholders()) {
      session.tree().makePlaceholders();
      place();
    }
    if (waiting.isOverfull()) {
      throw new ReplicaException(
          Kind.AGAIN,
          waiting.size()
              + " entries wait for their places, more than replication.waitingMebibytes hold");
    }
  }

  /** Puts entries in their places, those nearest to the top first, as often as that helps. */
  private void place() throws ReplicaException, InterruptedException {
    session.settle();
    int left = waiting.size();
    for (int round = 0; left > 0 && round < MOST_ROUNDS; round++) {
      long before = changes.written();
      for (Placement each : waiting.inOrder()) {
        waiting.remove(each.entryUuid());
        session.put(each);
      }
      session.settle();
      if (waiting.size() >= left && changes.written() == before) {
        return;
      }
      left = waiting.size();
    }
  }

  /**
   * Ends a phase: deletes what the provider does not have, those entries below others first.
   *
   * @param isPresent true if the provider has named all that there is
   * @param isDone true if the refresh stage ends as well
   * @param known the changes that the provider knows; null if it does not say
   * @throws ReplicaException guarded if they are too many; nothing was deleted then
   */
  void end(boolean isPresent, boolean isDone, @Nullable CsnVector known, DeletionGuard guard)
      throws ReplicaException, InterruptedException {
    isPending |= isPresent;
    placeAndRestore();
    // An entry that was sent, and has moved with one above it, may well belong there.
    waiting.removeNames();
    if (isDone && waiting.size() > 0) {
      throw misfit(waiting.size() + " entries have no parents");
    }
    UUID missing = waiting.missing();
    if (isDone && missing != null && !isPending && !isJudged) {
      throw ReplicaException.missing(missing);
    }
    session.tree().placed();
    if (known != null && waiting.size() == 0) {
      judge(guard.coversAll(session.tree().isTopReplaced()) ? null : known, guard, isDone);
    }
    if (isDone) {
      restoreNames(isJudged);
      requireNothingHeld();
    }
  }

  private static ReplicaException misfit(String why) {
    return new ReplicaException(Kind.MISFIT, why + " at the end of the refresh");
  }

  private void requireNothingHeld() throws ReplicaException, InterruptedException {
    EntryIds placeholders = new EntryIds();
    placeholders.addAll(lost.placeholders());
    deleteRounds(placeholders);
    if (placeholders.size() > 0) {
      throw misfit(placeholders.size() + " parents of entries have not come");
    }
    long held = session.tree().doomed().size();
    if (held > 0) {
      throw misfit(held + " entries are deleted at the provider, with others below them here");
    }
  }

  private void judge(@Nullable CsnVector known, DeletionGuard guard, boolean isDone)
      throws ReplicaException, InterruptedException {
    EntryIds absent = new EntryIds();
    absent.addAll(session.tree().doomed());
    boolean hasForeign = false;
    long total;
    if (isPending) {
      AbsentEntries found = absent(known);
      absent.addAll(found.ids());
      total = found.total();
      hasForeign = found.foreign() > 0;
    } else {
      boolean isFew = deleted + absent.size() <= ReplicaSettings.UNGUARDED_DELETIONS;
      total = isFew ? absent.size() : ContextWalk.count(backend, suffix);
    }
    boolean isTopAbsent = total > 1 && absent.contains(ContextWalk.top(backend, suffix));
    guard.require(deleted + absent.size(), deleted + total, isTopAbsent);
    deleted += absent.size();
    isJudged |= isPending;
    absent.addAll(lost.placeholders());
    deleteRounds(absent);
    long stay = absent.size() - session.tree().doomed().size() - lost.placeholders().size();
    isPending &= stay > 0;
    if (stay > 0 && isDone) {
      leave(absent, stay, hasForeign);
    }
  }

  /** Deals with absent entries that others stand below, which the provider has not deleted. */
  private void leave(EntryIds absent, long stay, boolean hasForeign) {
    if (hasForeign) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} entries of {1} are not at the provider, and stay: there are others below them",
          Long.toString(stay),
          suffix);
    } else {
      left.addAll(absent);
      left.removeAll(session.tree().doomed());
      left.removeAll(lost.placeholders());
    }
  }

  /**
   * Deletes absent entries that others stood below: the provider has deleted or moved these while
   * it sent the refresh, and tells of it in the changes that follow.
   */
  void deleteLeft() throws ReplicaException, InterruptedException {
    deleteRounds(left);
  }

  /** Returns whether absent entries are left, with others below them. */
  boolean hasLeft() {
    return left.size() > 0;
  }

  private AbsentEntries absent(@Nullable CsnVector known) {
    // They are nothing that a provider has to name.
    session.tree().listed().addAll(lost.placeholders());
    AbsentEntries found =
        AbsentEntries.scan(
            backend, current.get().schema(), suffix, session.tree().listed(), known, trusted);
    if (found.foreign() > 0) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} entries of {1} are not at the provider, and stay: their last changes are of servers"
              + " that it does not know",
          Long.toString(found.foreign()),
          suffix);
    }
    return found;
  }

  private void deleteRounds(EntryIds absent) throws ReplicaException, InterruptedException {
    for (long before = Long.MAX_VALUE; absent.size() > 0 && absent.size() < before; ) {
      before = absent.size();
      long[] ids = absent.below(Long.MAX_VALUE, SLICE);
      while (ids.length > 0) {
        session.deleteAbsent(absent, ids);
        ids = absent.below(ids[ids.length - 1], SLICE);
      }
      session.settle();
    }
  }

  /** Returns whether a present phase was judged. */
  boolean isJudged() {
    return isJudged;
  }

  /** Does both as often as the one helps the other. */
  private void placeAndRestore() throws ReplicaException, InterruptedException {
    long before = -1;
    for (int round = 0; round < MOST_TURNS && changes.written() != before; round++) {
      before = changes.written();
      place();
      if (waiting.size() > 0) {
        restoreNames(false);
      }
    }
  }

  /**
   * Gives entries the names back that they have lost to others, where these are free.
   *
   * @param isPresent true if all entries are known that the provider has
   */
  private void restoreNames(boolean isPresent) throws ReplicaException, InterruptedException {
    lost.complete(backend, current.get().schema(), suffix);
    long before = -1;
    while (!lost.isEmpty() && changes.written() != before) {
      before = changes.written();
      for (UUID each : lost.entries()) {
        session.restore(each, isPresent);
      }
      session.settle();
    }
  }

  /**
   * Returns whether all entries are here and have names; if not, the provider may say something
   * about the others in the changes that follow.
   *
   * @throws ReplicaException misfit if the provider has had the opportunity
   */
  boolean hasAllNames() throws ReplicaException {
    if (lost.hasEarlier() || !isJudged && !lost.isEmpty()) {
      throw lostNames();
    }
    return lost.isEmpty() && waiting.isEmpty() && !hasLeft();
  }

  /** Returns the end of a synchronization in which entries are missing, or have no names. */
  ReplicaException nothingSaid() {
    UUID missing = waiting.missing();
    if (missing != null) {
      return ReplicaException.missing(missing);
    }
    if (hasLeft()) {
      return new ReplicaException(
          Kind.MISFIT, left.size() + " entries are not at the provider, but others below them are");
    }
    return lostNames();
  }

  private ReplicaException lostNames() {
    return new ReplicaException(
        Kind.MISFIT,
        "the provider does not say what became of entries that have lost their names to others: "
            + lost);
  }

  /**
   * The entries of a naming context that a provider has not named in a present phase, found by a
   * scan while nothing changes there. Those count as deleted whose last change the provider knows:
   * others come from servers that it has never heard of, and stay, unless they are the rest of a
   * refresh that was not ended.
   *
   * <p>Confined to one thread.
   */
  private static final class AbsentEntries {
    private static final String ENTRY_CSN_OID = "1.3.6.1.4.1.4203.666.1.7";

    private final @Nullable AttributeType entryCsn;
    private final EntryIds listed;
    private final @Nullable CsnVector known;
    private final @Nullable CsnVector trusted;
    private final EntryIds absent = new EntryIds();
    private final ValueCursor values = new ValueCursor();
    private long total;
    private long foreign;

    private AbsentEntries(
        Schema schema, EntryIds listed, @Nullable CsnVector known, @Nullable CsnVector trusted) {
      this.trusted = trusted;
      this.entryCsn = schema.attributeType(ENTRY_CSN_OID);
      this.listed = listed;
      this.known = known;
    }

    /**
     * Scans a naming context.
     *
     * @param listed the entries that the provider has named
     * @param known the changes that it knows; null if all entries count that it has not named
     * @param trusted the changes besides which all count, too; null if none do
     */
    static AbsentEntries scan(
        Backend backend,
        Schema schema,
        Dn suffix,
        EntryIds listed,
        @Nullable CsnVector known,
        @Nullable CsnVector trusted) {
      AbsentEntries scan = new AbsentEntries(schema, listed, known, trusted);
      scan.total =
          ContextWalk.over(
              backend,
              suffix,
              (transaction, entry) -> scan.examine(entry, transaction.attributes()));
      return scan;
    }

    private void examine(EntryView view, AttributeTable table) {
      if (listed.contains(view.id())) {
        return;
      }
      Csn csn = csn(view, table);
      boolean isRest = trusted != null && !isKnown(csn, trusted);
      if (known == null || isRest || isKnown(csn, known)) {
        absent.add(view.id());
      } else {
        foreign++;
      }
    }

    private static boolean isKnown(@Nullable Csn csn, CsnVector known) {
      return csn != null && known.covers(csn);
    }

    private @Nullable Csn csn(EntryView view, AttributeTable table) {
      if (entryCsn == null) {
        return null;
      }
      int number = table.id(AttributeDescription.of(entryCsn));
      for (int i = 0; i < view.attributeCount(); i++) {
        if (view.attributeId(i) == number && values.open(view, i).next()) {
          byte[] value = values.value();
          return Csn.parse(value, 0, value.length);
        }
      }
      return null;
    }

    /** Returns the entries to delete. */
    EntryIds ids() {
      return absent;
    }

    long total() {
      return total;
    }

    /** Returns the number of entries that stay because the provider does not know their changes. */
    long foreign() {
      return foreign;
    }
  }
}
