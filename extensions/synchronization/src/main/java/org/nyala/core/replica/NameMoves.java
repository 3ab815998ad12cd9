package org.nyala.core.replica;

import static org.nyala.core.backend.ReadTransaction.NO_ENTRY;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.core.replica.EntryFinder.Found;
import org.nyala.core.update.UpdateContext;

/**
 * The renames of a synchronization: an entry takes with it what is below, but for entries that were
 * sent before, whose names are noted.
 *
 * <p>Confined to the writer's thread.
 */
final class NameMoves {
  private final CountedChanges changes;
  private final WaitingEntries waiting;
  private final LostNames lost;

  /** The entries that the provider has sent, with names. */
  private final EntryIds sent = new EntryIds();

  private final EntryView view = new EntryView();

  NameMoves(CountedChanges changes, WaitingEntries waiting, LostNames lost) {
    this.changes = changes;
    this.waiting = waiting;
    this.lost = lost;
  }

  /** Returns the entries that the provider has sent, with names. */
  EntryIds sent() {
    return sent;
  }

  /**
   * Renames an entry.
   *
   * @param more the changes of its attributes
   * @param csn the number of the change; null if it has none
   */
  void rename(
      EntryFinder entries,
      UpdateContext context,
      Found moved,
      Dn to,
      List<AttributeChange> more,
      @Nullable Csn csn) {
    stay(entries, context.transaction(), moved, to);
    changes.apply(context, new ResolvedChange.Rename(moved.name(), moved.id(), to, more), csn);
  }

  /** Gives an entry a name of its own beside the one that it has. */
  void putAside(EntryFinder entries, UpdateContext context, long id) {
    WriteTransaction transaction = context.transaction();
    if (!transaction.read(id, view)) {
      throw new IllegalStateException("entry " + id + " is gone");
    }
    Dn name = entries.name(view);
    UUID uuid = entries.entryUuid(transaction, view);
    Dn other = LostNames.nameOf(entries.schema(), uuid, name.parent());
    rename(entries, context, new Found(id, name), other, List.of(), null);
    lost.add(uuid, DnParser.parseStored(entries.schema(), name.rdn(0)));
  }

  /** Notes the name of an entry, if it was sent. */
  void note(EntryFinder entries, WriteTransaction transaction, Found entry) {
    if (sent.contains(entry.id()) && transaction.read(entry.id(), view)) {
      noteName(entries, entries.entryUuid(transaction, view), entry.name());
    }
  }

  /** Notes a name; of an entry that has lost its own, that one. */
  private void noteName(EntryFinder entries, UUID entryUuid, Dn name) {
    Dn former = lost.rdn(entryUuid);
    waiting.addName(
        entryUuid, former == null ? name : former.under(name.parent()), entries.schema());
  }

  /** Notes the names of entries below one whose name changes, if they were sent before. */
  private void stay(EntryFinder entries, WriteTransaction transaction, Found moved, Dn to) {
    if (sent.size() == 0 || moved.name().equals(to) || !transaction.hasSubordinates(moved.id())) {
      return;
    }
    SearchSpec below =
        new SearchSpec(moved.id(), Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
    EntryView each = new EntryView();
    try (EntryCursor cursor = transaction.search(below, NO_ENTRY)) {
      EntryCursor.Step step = cursor.next(each, Integer.MAX_VALUE);
      while (step != EntryCursor.Step.END) {
        if (step == EntryCursor.Step.ENTRY && each.id() != moved.id() && sent.contains(each.id())) {
          noteName(entries, entries.entryUuid(transaction, each), entries.name(each));
        }
        step = cursor.next(each, Integer.MAX_VALUE);
      }
    }
  }
}
