package org.nyala.comparison;

import java.io.IOException;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.nyala.error.ErrorMessages;

/**
 * Compares the entries of two places by their names. A digest of each entry is held, 32 bytes;
 * those that are shown are read again, so that what has changed meanwhile and is equal now is no
 * difference.
 *
 * <p>Confined to one thread.
 */
public final class ContentComparison {
  /** The bytes of values that are held while differences are shown; larger ones are summed up. */
  private static final long HELD_BYTES = 64 << 20;

  private final EntrySource first;
  private final EntrySource second;
  private final int most;
  private final Consumer<String> differences;
  private final long heldBytes;
  private final EntryDigests digests = new EntryDigests();

  /** The entries of the second place of which the first one has none. */
  private final EntryDigests others = new EntryDigests();

  /** The places in {@link #digests} of those that were counted as different. */
  private final BitSet counted = new BitSet();

  private final Set<UUID> wanted = new HashSet<>();
  private final Set<UUID> shown = new HashSet<>();
  private long equal;
  private long different;

  /**
   * Prepares a comparison.
   *
   * @param most the differing entries that are shown; all are counted
   * @param differences receives the lines of each difference
   */
  public ContentComparison(
      EntrySource first, EntrySource second, int most, Consumer<String> differences) {
    this(first, second, most, differences, HELD_BYTES);
  }

  ContentComparison(
      EntrySource first,
      EntrySource second,
      int most,
      Consumer<String> differences,
      long heldBytes) {
    this.first = first;
    this.second = second;
    this.most = most;
    this.differences = differences;
    this.heldBytes = heldBytes;
  }

  /** Returns the number of entries that are the same in both places. */
  public long equal() {
    return equal;
  }

  /** Returns the number of names whose entries differ, are in one place only, or repeated. */
  public long different() {
    return different;
  }

  /** Returns the number of those that were not shown. */
  public long unshown() {
    return different - shown.size();
  }

  /**
   * Compares.
   *
   * @throws IOException if a place cannot be read to its end
   */
  public void run() throws IOException {
    first.read(entry -> digests.add(entry.uuid(), entry.digest()));
    digests.sort();
    digests.repeated(
        name -> {
          int at = digests.find(name);
          digests.take(at);
          count(at, name);
        });
    second.read(this::look);
    others.sort();
    others.repeated(_ -> {});
    different += (long) digests.left() + others.left();
    others.left(this::want);
    digests.left(this::want);
    if (!wanted.isEmpty()) {
      show();
    }
  }

  /** Looks an entry of the second place up in what the first one has. */
  private void look(ComparedEntry entry) {
    int at = digests.find(entry.uuid());
    if (at < 0) {
      others.add(entry.uuid(), entry.digest());
    } else if (!digests.take(at)) {
      // One that was taken and not counted was equal.
      equal -= counted.get(at) ? 0 : 1;
      count(at, entry.uuid());
    } else if (digests.digest(at).equals(entry.digest())) {
      equal++;
    } else {
      count(at, entry.uuid());
    }
  }

  private void count(int at, UUID name) {
    if (!counted.get(at)) {
      counted.set(at);
      different++;
      want(name);
    }
  }

  /** Has a name shown; returns whether there is room for more. */
  private boolean want(UUID name) {
    if (wanted.size() < most) {
      wanted.add(name);
    }
    return wanted.size() < most;
  }

  /** Reads the wanted entries again, which may have become equal, and shows them. */
  private void show() throws IOException {
    Map<UUID, ComparedEntry> held = new LinkedHashMap<>();
    Set<UUID> summarized = new HashSet<>();
    hold(held, summarized);
    Set<UUID> seen = new HashSet<>();
    second.read(
        entry -> {
          if (wanted.contains(entry.uuid())) {
            ComparedEntry mine = held.get(entry.uuid());
            if (!seen.add(entry.uuid())) {
              show("several times in " + second.label(), entry);
            } else if (mine == null) {
              show("only in " + second.label(), entry);
            } else {
              compare(mine, summarized.contains(entry.uuid()) ? entry.summarized() : entry);
            }
          }
        });
    seen.retainAll(held.keySet());
    held.forEach(
        (name, entry) -> {
          if (!seen.contains(name)) {
            show("only in " + first.label(), entry);
          }
        });
    seen.removeAll(shown);
    equal += seen.size();
    different -= wanted.size() - shown.size();
  }

  /**
   * Reads the wanted entries of the first place.
   *
   * @param summarized receives the names of those that are too large to be held
   */
  private void hold(Map<UUID, ComparedEntry> held, Set<UUID> summarized) throws IOException {
    long[] bytes = {0};
    first.read(
        entry -> {
          if (!wanted.contains(entry.uuid())) {
            return;
          }
          if (held.containsKey(entry.uuid())) {
            show("several times in " + first.label(), entry);
          } else if (bytes[0] + entry.bytes() > heldBytes) {
            summarized.add(entry.uuid());
            held.put(entry.uuid(), entry.summarized());
          } else {
            bytes[0] += entry.bytes();
            held.put(entry.uuid(), entry);
          }
        });
  }

  private void compare(ComparedEntry mine, ComparedEntry theirs) {
    List<String> parts = mine.differences(theirs);
    if (!parts.isEmpty() && show("differs", mine)) {
      parts.forEach(part -> differences.accept("  " + part));
    }
  }

  /** Shows the first difference of a name; returns whether this is it. */
  private boolean show(String kind, ComparedEntry entry) {
    boolean isFirst = shown.add(entry.uuid());
    if (isFirst) {
      differences.accept(kind + ": " + ErrorMessages.printable(entry.dn()));
    }
    return isFirst;
  }
}
