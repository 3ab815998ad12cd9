package org.nyala.core.replica;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.Schema;

/**
 * The entries of a refresh whose parents have not come yet, and the names of those that have moved
 * with others although they were sent before. Providers send entries in an order in which that is
 * rare: after entries were moved below younger ones. Beside them, in as much memory again, the
 * entries that the provider takes for granted and that are {@link MissingEntries missing}.
 *
 * <p>Thread-safe.
 */
final class WaitingEntries {
  private final long mostBytes;
  private final MemoryAccount memory;
  private final Map<UUID, Placement> entries = new LinkedHashMap<>();
  private final MissingEntries missing;
  private long bytes;

  WaitingEntries(long mostBytes, MemoryAccount memory) {
    this.mostBytes = mostBytes;
    this.memory = memory;
    this.missing = new MissingEntries(mostBytes, memory);
  }

  /** Adds an entry, in place of what was known of it before. */
  synchronized void add(Placement placement) {
    remove(placement.entryUuid());
    if (placement.entry() != null) {
      missing.remove(placement.entryUuid());
    }
    entries.put(placement.entryUuid(), placement);
    bytes += placement.heldBytes();
    memory.take(placement.heldBytes());
  }

  /** Adds the name of an entry whose attributes are here, unless the entry is known already. */
  synchronized void addName(UUID entryUuid, Dn name, Schema schema) {
    if (!entries.containsKey(entryUuid)) {
      add(Placement.ofName(entryUuid, name, schema));
    }
  }

  /** Removes an entry, if it is there. */
  synchronized void remove(UUID entryUuid) {
    Placement former = entries.remove(entryUuid);
    if (former != null) {
      bytes -= former.heldBytes();
      memory.giveBack(former.heldBytes());
    }
  }

  /** Notes that an entry is at its place, or gone: nothing has to come any more. */
  synchronized void settled(UUID entryUuid) {
    remove(entryUuid);
    missing.remove(entryUuid);
  }

  /**
   * Notes that an entry is not at its place that the provider has named as unchanged: it has to
   * come, unless it has and waits.
   *
   * @return false if there is no room for it
   */
  synchronized boolean expect(UUID entryUuid) {
    Placement waits = entries.get(entryUuid);
    return waits != null && waits.entry() != null || missing.add(entryUuid);
  }

  /** Returns one of the entries that are missing; null if none is. */
  synchronized @Nullable UUID missing() {
    return missing.any();
  }

  /** Returns all entries, those nearest to the top of the tree first. */
  synchronized List<Placement> inOrder() {
    List<Placement> all = new ArrayList<>(entries.values());
    all.sort(Comparator.comparingInt(each -> each.dn().rdnCount()));
    return all;
  }

  /** Forgets entries of which only names were to be changed. */
  synchronized void removeNames() {
    List<UUID> names = new ArrayList<>();
    entries.values().stream()
        .filter(each -> each.entry() == null)
        .forEach(each -> names.add(each.entryUuid()));
    names.forEach(this::remove);
  }

  synchronized void clear() {
    entries.clear();
    memory.giveBack(bytes);
    bytes = 0;
    missing.clear();
  }

  /** Returns whether they take more memory than they may. */
  synchronized boolean isOverfull() {
    return bytes > mostBytes;
  }

  synchronized int size() {
    return entries.size();
  }

  /** Returns whether no entry waits, and none is missing. */
  synchronized boolean isEmpty() {
    return entries.isEmpty() && missing.size() == 0;
  }
}
