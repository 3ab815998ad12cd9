package org.nyala.core.replica;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.nyala.core.backend.ReadTransaction.NO_ENTRY;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.core.replica.EntryFinder.Found;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.update.UpdateContext;

/**
 * The placeholders of parents that have not come, for refreshes in which more entries come before
 * their parents than may wait in memory. The parent takes the place of its own once it comes. They
 * have an {@code objectClass} alone, and no {@code entryUUID}: so they are found after a start of
 * the server.
 *
 * <p>Confined to the writer's thread.
 */
final class Placeholders {
  /** The one value of the one attribute of a placeholder. */
  static final String OBJECT_CLASS = "extensibleObject";

  /** The entries that one turn moves. */
  private static final int SLICE = 256;

  private final Dn suffix;
  private final CountedChanges changes;
  private final NameMoves moves;
  private final EntryIds ids;
  private final EntryView view = new EntryView();

  Placeholders(Dn suffix, CountedChanges changes, NameMoves moves, EntryIds ids) {
    this.suffix = suffix;
    this.changes = changes;
    this.moves = moves;
    this.ids = ids;
  }

  /** Returns whether an entry was noted as a placeholder, in a turn that may have been undone. */
  boolean isNoted(long id) {
    return ids.contains(id);
  }

  /** Returns whether an entry is a placeholder. */
  boolean isOne(ReadTransaction transaction, long id) {
    return ids.contains(id)
        && transaction.read(id, view)
        && LostNames.isPlaceholder(transaction, view);
  }

  /** Notes that an entry is no placeholder any more. */
  void taken(long id) {
    ids.remove(id);
  }

  /**
   * Makes an entry for a name, and for those above it that are missing.
   *
   * @return false if the topmost entry is missing, for which there is no placeholder
   */
  boolean make(EntryFinder entries, UpdateContext context, Dn name) {
    WriteTransaction transaction = context.transaction();
    if (transaction.find(suffix) == NO_ENTRY) {
      return false;
    }
    int missing = 0;
    while (transaction.find(name.ancestor(missing)) == NO_ENTRY) {
      missing++;
    }
    AttributeType classes = entries.schema().attributeType("objectClass");
    if (classes == null) {
      return false;
    }
    for (int i = missing - 1; i >= 0; i--) {
      Entry entry = new Entry(name.ancestor(i));
      entry.add(AttributeDescription.of(classes), OBJECT_CLASS.getBytes(US_ASCII));
      ids.add(changes.apply(context, new ResolvedChange.Add(entry), null));
    }
    return true;
  }

  /**
   * Moves entries from below a placeholder to below the entry that takes its name, and then deletes
   * it.
   *
   * @param to that entry, which stands elsewhere
   * @return false if there are more of them
   */
  boolean give(EntryFinder entries, UpdateContext context, Found from, Found to) {
    return give(entries, context, from, to, true);
  }

  private boolean give(
      EntryFinder entries, UpdateContext context, Found from, Found to, boolean isSent) {
    WriteTransaction transaction = context.transaction();
    for (Found each : below(entries, transaction, from.id())) {
      if (to.name().isWithin(each.name())) {
        // It would stand below itself; it gets its name soon.
        Dn aside = LostNames.nameOf(entries.schema(), uuid(entries, transaction, to), suffix);
        moves.rename(entries, context, to, aside, List.of(), null);
        return false;
      }
      Dn name = DnParser.parseStored(entries.schema(), each.name().rdn(0)).under(to.name());
      long there = transaction.find(name);
      if (there != NO_ENTRY && isOne(transaction, each.id())) {
        if (!give(entries, context, each, new Found(there, name), false)) {
          return false;
        }
        continue;
      }
      if (there != NO_ENTRY) {
        moves.putAside(entries, context, there);
      }
      if (isSent) {
        // From now on it moves with its parent.
        moves.sent().remove(each.id());
      } else {
        // The entry that has the name of its parent may lose it.
        moves.note(entries, transaction, each);
      }
      moves.rename(entries, context, each, name, List.of(), null);
    }
    if (transaction.hasSubordinates(from.id())) {
      return false;
    }
    changes.apply(context, new ResolvedChange.Delete(from.name(), from.id()), null);
    ids.remove(from.id());
    return true;
  }

  private static UUID uuid(EntryFinder entries, WriteTransaction transaction, Found entry) {
    EntryView view = new EntryView();
    if (!transaction.read(entry.id(), view)) {
      throw new IllegalStateException("entry " + entry.id() + " is gone");
    }
    return entries.entryUuid(transaction, view);
  }

  private static List<Found> below(EntryFinder entries, WriteTransaction transaction, long id) {
    SearchSpec below =
        new SearchSpec(id, Scope.ONE_LEVEL, CompiledFilter.Constant.TRUE, false, false);
    List<Found> found = new ArrayList<>();
    EntryView view = new EntryView();
    try (EntryCursor cursor = transaction.search(below, NO_ENTRY)) {
      EntryCursor.Step step = cursor.next(view, Integer.MAX_VALUE);
      while (step != EntryCursor.Step.END && found.size() < SLICE) {
        if (step == EntryCursor.Step.ENTRY) {
          found.add(new Found(view.id(), entries.name(view)));
        }
        step = cursor.next(view, Integer.MAX_VALUE);
      }
    }
    return found;
  }
}
