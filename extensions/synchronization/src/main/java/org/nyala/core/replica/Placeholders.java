package org.nyala.core.replica;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.nyala.core.backend.ReadTransaction.NO_ENTRY;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryUuid;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.core.replica.EntryFinder.Found;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
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

  /**
   * The renames of a synchronization: an entry takes with it what is below, but for entries that
   * were sent before, whose names are noted.
   *
   * <p>Confined to the writer's thread.
   */
  static final class NameMoves {
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
          if (step == EntryCursor.Step.ENTRY
              && each.id() != moved.id()
              && sent.contains(each.id())) {
            noteName(entries, entries.entryUuid(transaction, each), entries.name(each));
          }
          step = cursor.next(each, Integer.MAX_VALUE);
        }
      }
    }
  }

  /**
   * The entries of a copy that have lost their names to others, and stand beside them as {@code
   * entryUUID=...}, and the placeholders of entries that have not come; from one synchronization to
   * the next. After a start of the server they are found by a scan.
   *
   * <p>Thread-safe.
   */
  static final class LostNames {
    private static final String ENTRY_UUID = "entryUUID=";

    /** The entries that are remembered; if there are more, a scan finds them. */
    private static final int MOST = 1 << 16;

    /** The entries, with the RDNs that they had if these are known. */
    private final Map<UUID, Optional<Dn>> lost = new LinkedHashMap<>();

    /** Those of them that had lost their names before this synchronization. */
    private final Set<UUID> earlier = new HashSet<>();

    private final EntryIds placeholders = new EntryIds();
    private boolean isIncomplete = true;

    /** Returns the name that an entry gets instead of one that it has lost. */
    static Dn nameOf(Schema schema, UUID entryUuid, Dn parent) {
      byte[] rdn = (ENTRY_UUID + entryUuid).getBytes(StandardCharsets.UTF_8);
      return DnParser.parseStored(schema, rdn).under(parent);
    }

    /** Begins a synchronization; scans the naming context if these are not known. */
    void begin(Backend backend, Schema schema, Dn suffix) {
      complete(backend, schema, suffix);
      synchronized (this) {
        earlier.clear();
        earlier.addAll(lost.keySet());
      }
    }

    /** Forgets everything: it is not known what of it is on disk. A scan finds it. */
    synchronized void forget() {
      lost.clear();
      placeholders.clear();
      isIncomplete = true;
    }

    /** Finds the entries that are not known, if there are any. */
    void complete(Backend backend, Schema schema, Dn suffix) {
      synchronized (this) {
        if (!isIncomplete) {
          return;
        }
        isIncomplete = false;
      }
      EntryUuid uuids = new EntryUuid(schema);
      ContextWalk.over(backend, suffix, (transaction, entry) -> examine(uuids, transaction, entry));
    }

    private void examine(EntryUuid uuids, ReadTransaction transaction, EntryView entry) {
      uuids.take(entry, transaction.attributes());
      if (uuids.high() == 0 && uuids.low() == 0) {
        if (isPlaceholder(transaction, entry)) {
          placeholders.add(entry.id());
        }
        return;
      }
      if (entry.rdnLength() != ENTRY_UUID.length() + 36) {
        return;
      }
      byte[] rdn = new byte[entry.rdnLength()];
      entry.buffer().get(entry.rdnStart(), rdn);
      UUID uuid = new UUID(uuids.high(), uuids.low());
      if (new String(rdn, StandardCharsets.UTF_8).equalsIgnoreCase(ENTRY_UUID + uuid)) {
        add(uuid, null);
      }
    }

    /**
     * Returns whether an entry without {@code entryUUID} has that class alone, and nothing else.
     */
    static boolean isPlaceholder(ReadTransaction transaction, EntryView entry) {
      if (entry.attributeCount() != 1) {
        return false;
      }
      AttributeDescription only = transaction.attributes().description(entry.attributeId(0));
      ValueCursor values = new ValueCursor();
      values.open(entry, 0);
      if (!only.name().equalsIgnoreCase("objectClass") || !values.next()) {
        return false;
      }
      return new String(values.value(), StandardCharsets.UTF_8)
              .equalsIgnoreCase(Placeholders.OBJECT_CLASS)
          && !values.next();
    }

    /**
     * Adds an entry.
     *
     * @param rdn the RDN that it had, as a name of its own; null if that is not known
     */
    synchronized void add(UUID entryUuid, @Nullable Dn rdn) {
      if (lost.size() < MOST) {
        lost.putIfAbsent(entryUuid, Optional.ofNullable(rdn));
      } else {
        isIncomplete = true;
      }
    }

    /** Removes an entry, which has a name again or is gone. */
    synchronized void remove(UUID entryUuid) {
      lost.remove(entryUuid);
    }

    synchronized List<UUID> entries() {
      return new ArrayList<>(lost.keySet());
    }

    /** Returns the RDN that an entry had; null if that is not known. */
    synchronized @Nullable Dn rdn(UUID entryUuid) {
      return lost.getOrDefault(entryUuid, Optional.empty()).orElse(null);
    }

    synchronized boolean isEmpty() {
      return lost.isEmpty() && !isIncomplete;
    }

    /** Returns whether there are entries that had lost their names before this synchronization. */
    synchronized boolean hasEarlier() {
      return lost.keySet().stream().anyMatch(earlier::contains);
    }

    EntryIds placeholders() {
      return placeholders;
    }

    @Override
    public synchronized String toString() {
      return lost.size() <= 10 ? lost.keySet().toString() : lost.size() + " entries";
    }
  }
}
