package org.nyala.core.replica;

import static org.nyala.core.backend.ReadTransaction.NO_ENTRY;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.replica.EntryFinder.Found;
import org.nyala.core.replica.Placeholders.LostNames;
import org.nyala.core.replica.Placeholders.NameMoves;
import org.nyala.core.update.UpdateContext;

/**
 * The entries of a copy during one synchronization, in the writer's turns: brings each to the state
 * that the provider has sent.
 *
 * <p>Whatever order entries are sent in, each is at its name in the end. A name that another entry
 * has is cleared: that one gets a name of its own, {@code entryUUID=...}, until the provider says
 * what became of it. An entry whose name changes takes with it what is below, but for entries that
 * were sent before: these have said where they belong, and are put there once the refresh has all.
 * Deletions of a refresh are only noted, until the first entry is sent, or all are known.
 *
 * <p>Confined to the writer's thread, but for the sets, which are thread-safe. If a turn is
 * repeated in another transaction, entries may get other ids: sets then have some of the first
 * attempt too. An entry may stay by that until the next refresh, and none is deleted: placeholders
 * are looked at before.
 */
final class CopiedTree {
  /** The outcome of a turn. */
  enum Outcome {
    /** Everything is as the provider has it. */
    DONE,
    /** The parent is not here, or is the entry itself. */
    NO_PARENT,
    /** The entry at the top is another one than here: the provider was set up anew. */
    OTHER_TOP
  }

  private final Dn suffix;
  private final boolean isRefresh;
  private final boolean mayReplaceTop;
  private final CountedChanges changes;
  private final WaitingEntries waiting;
  private final LostNames lost;
  private final NameMoves moves;
  private final Placeholders placeholders;

  /** The entries that the provider has named in this refresh stage, with attributes or without. */
  private final EntryIds listed = new EntryIds();

  /** The entries that the provider has deleted in this refresh stage. */
  private final EntryIds doomed = new EntryIds();

  private final EntryView view = new EntryView();
  private @Nullable EntryFinder finder;
  private volatile boolean makesPlaceholders;
  private volatile boolean isTopReplaced;

  /** True once the provider has sent everything, but some entries have no names yet. */
  private volatile boolean isLate;

  /**
   * Begins.
   *
   * @param isRefresh true for the refresh stage
   * @param mayReplaceTop true if the entry at the top may be another one than here
   * @param changes counts changes
   * @param waiting the entries that wait for their parents
   * @param lost the entries that have lost their names
   */
  CopiedTree(
      Dn suffix,
      boolean isRefresh,
      boolean mayReplaceTop,
      CountedChanges changes,
      WaitingEntries waiting,
      LostNames lost) {
    this.suffix = suffix;
    this.isRefresh = isRefresh;
    this.mayReplaceTop = mayReplaceTop;
    this.changes = changes;
    this.waiting = waiting;
    this.lost = lost;
    this.moves = new NameMoves(changes, waiting, lost);
    this.placeholders = new Placeholders(suffix, changes, moves, lost.placeholders());
  }

  private EntryFinder finder(OperationContext directory) {
    EntryFinder known = finder;
    if (known == null || known.schema() != directory.schema()) {
      known = new EntryFinder(directory, suffix);
      finder = known;
    }
    return known;
  }

  /** Returns the name of the naming context. */
  Dn suffix() {
    return suffix;
  }

  /** Returns the entries that the provider has named. */
  EntryIds listed() {
    return listed;
  }

  /** Returns the entries that the provider has deleted, and that are here. */
  EntryIds doomed() {
    return doomed;
  }

  /** Returns whether the entry at the top has become another one. */
  boolean isTopReplaced() {
    return isTopReplaced;
  }

  /** Has parents made that have not come, instead of entries wait for them. */
  void makePlaceholders() {
    makesPlaceholders = true;
  }

  /** Returns whether parents are made that have not come. */
  boolean makesPlaceholders() {
    return makesPlaceholders;
  }

  /**
   * Notes that all entries are in their places: from now on they move with those above them, as at
   * the provider. The writer has no turn of this synchronization meanwhile.
   */
  void placed() {
    moves.sent().clear();
  }

  /** Notes that changes come as they are made from now on. As {@link #placed}. */
  void late() {
    isLate = true;
  }

  /**
   * Brings an entry to its name, and to its attributes if they were sent.
   *
   * @param csn the number of the change; null in the refresh stage, in which an entry may wait for
   *     its parent
   */
  Outcome put(
      OperationContext directory, UpdateContext context, Placement placement, @Nullable Csn csn) {
    EntryFinder entries = finder(directory);
    Found here = entries.find(context.transaction(), placement.entryUuid());
    if (here == null && placement.entry() == null) {
      waiting.remove(placement.entryUuid());
      return Outcome.DONE;
    }
    if (!hasPlace(entries, context, placement, here)) {
      return waits(placement, here, csn);
    }
    Dn name = placement.dn();
    long there = context.transaction().find(name);
    if (there != NO_ENTRY && (here == null || here.id() != there)) {
      if (name.equals(suffix)) {
        if (!mayReplaceTop && context.transaction().hasSubordinates(there)) {
          return Outcome.OTHER_TOP;
        }
        // Nothing can stand in its place: it becomes the other entry.
        isTopReplaced = true;
        here = new Found(there, entryName(entries, context.transaction(), there));
      } else if (placeholders.isOne(context.transaction(), there) && here == null) {
        placeholders.taken(there);
        here = new Found(there, entryName(entries, context.transaction(), there));
      } else {
        if (!placeholders.isOne(context.transaction(), there)) {
          moves.putAside(entries, context, there);
        } else if (!placeholders.give(entries, context, new Found(there, name), found(here))) {
          return waits(placement, here, csn);
        }
        // It may have stood below that entry.
        here = entries.find(context.transaction(), placement.entryUuid());
      }
    }
    write(entries, context, here, placement, csn);
    lost.remove(placement.entryUuid());
    waiting.settled(placement.entryUuid());
    return Outcome.DONE;
  }

  private static Found found(@Nullable Found here) {
    if (here == null) {
      throw new IllegalStateException("the entry is not here");
    }
    return here;
  }

  /** Returns whether the parent of an entry is here, or is made. */
  private boolean hasPlace(
      EntryFinder entries, UpdateContext context, Placement placement, @Nullable Found here) {
    Dn name = placement.dn();
    if (here != null && !name.equals(here.name()) && name.isWithin(here.name())) {
      return false;
    }
    return name.equals(suffix)
        || context.transaction().find(name.parent()) != NO_ENTRY
        || makesPlaceholders
            && placement.entry() != null
            && placeholders.make(entries, context, name.parent());
  }

  private Outcome waits(Placement placement, @Nullable Found here, @Nullable Csn csn) {
    if (csn == null) {
      waiting.add(placement);
      if (here != null && placement.entry() != null) {
        list(here.id());
      }
    }
    return Outcome.NO_PARENT;
  }

  private void list(long id) {
    if (isRefresh) {
      listed.add(id);
      doomed.remove(id);
    }
  }

  private void note(long id) {
    list(id);
    if (isRefresh && !isLate) {
      moves.sent().add(id);
    }
  }

  private Dn entryName(EntryFinder entries, WriteTransaction transaction, long id) {
    if (!transaction.read(id, view)) {
      throw new IllegalStateException("entry " + id + " is gone");
    }
    return entries.name(view);
  }

  private void write(
      EntryFinder entries,
      UpdateContext context,
      @Nullable Found here,
      Placement placement,
      @Nullable Csn csn) {
    Entry entry = placement.entry();
    if (here != null) {
      change(entries, context, here, placement, csn);
    } else if (entry != null) {
      note(changes.apply(context, new ResolvedChange.Add(entry), csn));
    }
  }

  private void change(
      EntryFinder entries,
      UpdateContext context,
      Found here,
      Placement placement,
      @Nullable Csn csn) {
    WriteTransaction transaction = context.transaction();
    if (!transaction.read(here.id(), view)) {
      throw new IllegalStateException("entry " + here.id() + " is gone");
    }
    Entry entry = placement.entry();
    List<AttributeChange> difference =
        entry == null ? List.of() : EntryDifference.of(transaction, view, entry);
    if (isOtherName(here.name(), placement.dn())) {
      moves.rename(entries, context, here, placement.dn(), difference, csn);
    } else if (!difference.isEmpty()) {
      changes.apply(context, new ResolvedChange.Modify(here.name(), here.id(), difference), csn);
    } else if (csn != null) {
      context.follow(suffix, CsnVector.EMPTY.with(csn));
    }
    if (entry != null) {
      note(here.id());
    }
  }

  /** Returns whether an entry is renamed, if only in the spelling of its RDN. */
  private boolean isOtherName(Dn before, Dn after) {
    return !before.equals(after)
        || !Arrays.equals(before.rdn(0), after.rdn(0)) && !before.equals(suffix);
  }

  /**
   * Gives an entry the name back that it has lost to another one, below the parent that it has now,
   * if that is free: the provider has not sent it again, so that it is unchanged there.
   *
   * @param isPresent true if the provider has named all that there is: an entry that it has not
   *     named is forgotten then
   */
  void restore(
      OperationContext directory, UpdateContext context, UUID entryUuid, boolean isPresent) {
    EntryFinder entries = finder(directory);
    Found here = entries.find(context.transaction(), entryUuid);
    if (here == null || isPresent && !listed.contains(here.id())) {
      lost.remove(entryUuid);
      return;
    }
    Dn rdn = doomed.contains(here.id()) ? null : lost.rdn(entryUuid);
    Dn name = rdn == null ? null : rdn.under(here.name().parent());
    if (name == null) {
      return;
    }
    long there = context.transaction().find(name);
    boolean isFree =
        there == NO_ENTRY
            || placeholders.isOne(context.transaction(), there)
                && placeholders.give(entries, context, new Found(there, name), here);
    if (isFree) {
      moves.rename(entries, context, here, name, List.of(), null);
      lost.remove(entryUuid);
    }
  }

  /**
   * Notes that entries are there, unchanged; those that are not here have to come.
   *
   * @return one that is not here, if there are too many; otherwise null
   */
  @Nullable UUID list(OperationContext directory, UpdateContext context, List<UUID> entryUuids) {
    EntryFinder entries = finder(directory);
    UUID missing = null;
    for (UUID each : entryUuids) {
      Found here = entries.find(context.transaction(), each);
      if (here != null) {
        list(here.id());
      } else if (!waiting.expect(each)) {
        missing = each;
      }
    }
    return missing;
  }

  /**
   * Deletes entries; in the refresh stage it notes them only.
   *
   * @param csn the number of the change, of which there is one then; null in the refresh stage
   * @return false if the entry has others below it; then it is the only one
   */
  boolean delete(
      OperationContext directory, UpdateContext context, List<UUID> entryUuids, @Nullable Csn csn) {
    WriteTransaction transaction = context.transaction();
    EntryFinder entries = finder(directory);
    for (UUID each : entryUuids) {
      Found here = entries.find(transaction, each);
      waiting.settled(each);
      if (here == null) {
        if (csn != null) {
          context.follow(suffix, CsnVector.EMPTY.with(csn));
        }
      } else if (isRefresh && !isLate) {
        doomed.add(here.id());
      } else if (transaction.hasSubordinates(here.id())) {
        return false;
      } else {
        changes.apply(context, new ResolvedChange.Delete(here.name(), here.id()), csn);
        lost.remove(each);
      }
    }
    return true;
  }

  /**
   * Deletes entries that the provider has not named, or has deleted.
   *
   * @return those that are gone; others have entries below them
   */
  List<Long> deleteAbsent(OperationContext directory, UpdateContext context, long[] ids) {
    WriteTransaction transaction = context.transaction();
    EntryFinder entries = finder(directory);
    List<Long> gone = new ArrayList<>(ids.length);
    for (long id : ids) {
      boolean isAnother = placeholders.isNoted(id) && !placeholders.isOne(transaction, id);
      if (isAnother) {
        placeholders.taken(id);
        gone.add(id);
      } else if (!transaction.read(id, view)) {
        gone.add(id);
      } else if (!transaction.hasSubordinates(id)) {
        Dn name = entries.name(view);
        lost.remove(entries.entryUuid(transaction, view));
        changes.apply(context, new ResolvedChange.Delete(name, id), null);
        placeholders.taken(id);
        gone.add(id);
      }
    }
    return gone;
  }

  /**
   * The changes that make a stored entry equal to another one, attribute by attribute. Values are
   * compared by their bytes, without regard to their order. Stateless.
   */
  private static final class EntryDifference {
    private EntryDifference() {}

    /**
     * Returns the changes; none if the entries are equal.
     *
     * @param view shows the stored entry in the transaction
     * @param wanted the attributes that it is to have, by the schema of the transaction
     */
    static List<AttributeChange> of(ReadTransaction transaction, EntryView view, Entry wanted) {
      AttributeTable table = transaction.attributes();
      List<AttributeChange> changes = new ArrayList<>();
      Set<AttributeDescription> seen = new HashSet<>();
      boolean mayBeLarge = (view.flags() & EntryRecord.LARGE) != 0;
      for (int i = 0; i < view.attributeCount(); i++) {
        AttributeDescription description = table.description(view.attributeId(i));
        seen.add(description);
        List<byte[]> values = wanted.values(description);
        if (values == null) {
          changes.add(new AttributeChange.Replaced(description, List.of()));
          continue;
        }
        boolean isApart = mayBeLarge && transaction.largeValues(view, i) != null;
        ValueCursor stored = new ValueCursor().open(view, i);
        if (isApart && description.type().equality() != null) {
          addUpdate(description, stored, values, changes);
        } else if (!isSame(stored, values)) {
          changes.add(new AttributeChange.Replaced(description, values));
        }
      }
      for (AttributeDescription description : wanted.descriptions()) {
        List<byte[]> values = wanted.values(description);
        if (values != null && !seen.contains(description)) {
          changes.add(new AttributeChange.Replaced(description, values));
        }
      }
      return changes;
    }

    private static boolean isSame(ValueCursor stored, List<byte[]> values) {
      if (values.size() == 1) {
        return stored.next() && isNow(stored, values.getFirst()) && !stored.next();
      }
      Set<ByteBuffer> left = wrapped(values);
      while (stored.next()) {
        if (!left.remove(ByteBuffer.wrap(stored.value()))) {
          return false;
        }
      }
      return left.isEmpty();
    }

    private static boolean isNow(ValueCursor stored, byte[] value) {
      return stored.buffer().slice(stored.start(), stored.length()).equals(ByteBuffer.wrap(value));
    }

    /**
     * Adds the change to an attribute with very many values: its cost is that of the difference.
     */
    private static void addUpdate(
        AttributeDescription description,
        ValueCursor stored,
        List<byte[]> values,
        List<AttributeChange> changes) {
      Set<ByteBuffer> added = wrapped(values);
      List<byte[]> removed = new ArrayList<>();
      while (stored.next()) {
        byte[] value = stored.value();
        if (!added.remove(ByteBuffer.wrap(value))) {
          removed.add(value);
        }
      }
      if (!added.isEmpty() || !removed.isEmpty()) {
        changes.add(
            new AttributeChange.Updated(
                description, removed, added.stream().map(ByteBuffer::array).toList()));
      }
    }

    private static Set<ByteBuffer> wrapped(List<byte[]> values) {
      Set<ByteBuffer> wrapped = LinkedHashSet.newLinkedHashSet(values.size());
      values.forEach(value -> wrapped.add(ByteBuffer.wrap(value)));
      return wrapped;
    }
  }
}
