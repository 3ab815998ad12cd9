package org.nyala.core.replica;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
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

  /**
   * The permanent identifiers of entries that a provider has named as unchanged, and that are not
   * here yet: a provider may name all its entries before it sends those that are new, as slapd
   * does. Each takes 22 to 43 bytes, in a table with open addressing; its account is charged
   * before. While the table grows, the former one, which is half as large, is held as well.
   *
   * <p>Guarded by the lock of {@link WaitingEntries}.
   */
  static final class MissingEntries {
    private static final int FIRST_SLOTS = 64;
    private static final int MOST_SLOTS = 1 << 29;
    private static final int SLOT_BYTES = 2 * Long.BYTES;
    private static final long[] EMPTY = {};

    private final long mostBytes;
    private final MemoryAccount memory;

    /** Nobody knows which identifiers share a slot. */
    private final long seed = new Random().nextLong();

    /** Two words for each slot; a slot is free if both are 0. */
    private long[] words = EMPTY;

    /** The number of slots that are not free. */
    private int used;

    /** True if the identifier is there that consists of zeros. */
    private boolean hasNil;

    MissingEntries(long mostBytes, MemoryAccount memory) {
      this.mostBytes = mostBytes;
      this.memory = memory;
    }

    /**
     * Adds an identifier.
     *
     * @return false if there is no room for it
     */
    boolean add(UUID entryUuid) {
      long high = entryUuid.getMostSignificantBits();
      long low = entryUuid.getLeastSignificantBits();
      if ((high | low) == 0) {
        hasNil = true;
        return true;
      }
      if (used > 0 && isUsed(slot(high, low))) {
        return true;
      }
      if ((used + 1) * 4L > slots() * 3L && !grow()) {
        return false;
      }
      put(high, low);
      used++;
      return true;
    }

    /** Removes an identifier, if it is there. */
    void remove(UUID entryUuid) {
      long high = entryUuid.getMostSignificantBits();
      long low = entryUuid.getLeastSignificantBits();
      if ((high | low) == 0) {
        hasNil = false;
        giveBackIfEmpty();
      } else if (used > 0) {
        int slot = slot(high, low);
        if (isUsed(slot)) {
          free(slot);
        }
      }
    }

    /** Forgets all identifiers. */
    void clear() {
      memory.giveBack(bytes());
      words = EMPTY;
      used = 0;
      hasNil = false;
    }

    /** Returns the number of identifiers. */
    int size() {
      return hasNil ? used + 1 : used;
    }

    /** Returns one of the identifiers; null if there is none. */
    @Nullable UUID any() {
      for (int slot = 0; slot < slots(); slot++) {
        if (isUsed(slot)) {
          return new UUID(words[2 * slot], words[2 * slot + 1]);
        }
      }
      return hasNil ? new UUID(0, 0) : null;
    }

    private int slots() {
      return words.length / 2;
    }

    private long bytes() {
      return (long) words.length * Long.BYTES;
    }

    private boolean isUsed(int slot) {
      return (words[2 * slot] | words[2 * slot + 1]) != 0;
    }

    /** Returns the slot of an identifier, or the free one in which it would be. */
    private int slot(long high, long low) {
      int slot = home(high, low);
      while (isUsed(slot) && (words[2 * slot] != high || words[2 * slot + 1] != low)) {
        slot = next(slot);
      }
      return slot;
    }

    private int next(int slot) {
      return slot + 1 & slots() - 1;
    }

    /** Returns the slot in which the search for an identifier begins. */
    private int home(long high, long low) {
      return (int) mixed(mixed(high ^ seed) ^ low) & slots() - 1;
    }

    /** Spreads the bits of a number, as the 64-bit finalizer of MurmurHash3 does. */
    private static long mixed(long number) {
      long bits = (number ^ number >>> 33) * 0xff51afd7ed558ccdL;
      bits = (bits ^ bits >>> 33) * 0xc4ceb9fe1a85ec53L;
      return bits ^ bits >>> 33;
    }

    private void put(long high, long low) {
      int slot = slot(high, low);
      words[2 * slot] = high;
      words[2 * slot + 1] = low;
    }

    /** Doubles the slots, if they may take as much memory. */
    private boolean grow() {
      long slots = Math.max(FIRST_SLOTS, slots() * 2L);
      if (slots > MOST_SLOTS || slots * SLOT_BYTES > mostBytes) {
        return false;
      }
      memory.take(slots * SLOT_BYTES);
      long before = bytes();
      long[] former = words;
      words = new long[(int) slots * 2];
      for (int i = 0; i < former.length; i += 2) {
        if ((former[i] | former[i + 1]) != 0) {
          put(former[i], former[i + 1]);
        }
      }
      memory.giveBack(before);
      return true;
    }

    /** Frees a slot, and has the identifiers move up that were found by way of it. */
    private void free(int slot) {
      int mask = slots() - 1;
      int gap = slot;
      for (int each = next(slot); isUsed(each); each = next(each)) {
        int home = home(words[2 * each], words[2 * each + 1]);
        if ((each - home & mask) >= (each - gap & mask)) {
          words[2 * gap] = words[2 * each];
          words[2 * gap + 1] = words[2 * each + 1];
          gap = each;
        }
      }
      words[2 * gap] = 0;
      words[2 * gap + 1] = 0;
      used--;
      giveBackIfEmpty();
    }

    /** Gives the memory of an empty table back: the copy may follow for months. */
    private void giveBackIfEmpty() {
      if (size() == 0) {
        clear();
      }
    }
  }
}
