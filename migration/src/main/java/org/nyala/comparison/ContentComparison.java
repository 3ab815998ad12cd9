package org.nyala.comparison;

import java.io.IOException;
import java.util.ArrayList;
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
  /** The bytes of entries that are held while differences are found; others are summed up. */
  private static final long HELD_BYTES = 64 << 20;

  /** The characters of differences that are held until nothing is read any more. */
  private static final long HELD_CHARACTERS = 16 << 20;

  /** The forms of an entry that is held. */
  private enum Form {
    WHOLE,
    SUMMARIZED,
    REDUCED;

    ComparedEntry of(ComparedEntry entry) {
      return switch (this) {
        case WHOLE -> entry;
        case SUMMARIZED -> entry.summarized();
        case REDUCED -> entry.reduced();
      };
    }
  }

  private record Held(Form form, ComparedEntry entry) {}

  private final EntrySource first;
  private final EntrySource second;
  private final int most;
  private final Consumer<String> differences;
  private final long heldBytes;
  private final long summaryBytes;
  private final EntryDigests digests = new EntryDigests();

  /** The entries of the second place of which the first one has none. */
  private final EntryDigests others = new EntryDigests();

  /** The places in {@link #digests} of those that were counted as different. */
  private final BitSet counted = new BitSet();

  private final Set<UUID> wanted = new HashSet<>();
  private final Set<UUID> shown = new HashSet<>();
  private final List<String> lines = new ArrayList<>();
  private long characters;

  /** The differing entries that were to be shown, but for which no room was left. */
  private long dropped;

  private long equal;
  private long different;

  /**
   * Prepares a comparison.
   *
   * @param most the differing entries that are shown; all are counted
   * @param differences receives the lines of each difference, while no place is being read
   */
  public ContentComparison(
      EntrySource first, EntrySource second, int most, Consumer<String> differences) {
    this(first, second, most, differences, HELD_BYTES, HELD_BYTES);
  }

  ContentComparison(
      EntrySource first,
      EntrySource second,
      int most,
      Consumer<String> differences,
      long heldBytes,
      long summaryBytes) {
    this.first = first;
    this.second = second;
    this.most = most;
    this.differences = differences;
    this.heldBytes = heldBytes;
    this.summaryBytes = summaryBytes;
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
    return different - shown.size() + dropped;
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
      // A reader of the output may pause: nothing is to be held meanwhile.
      lines.forEach(differences);
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
    Map<UUID, Held> held = new LinkedHashMap<>();
    hold(held);
    Set<UUID> seen = new HashSet<>();
    second.read(
        entry -> {
          if (wanted.contains(entry.uuid())) {
            Held mine = held.get(entry.uuid());
            if (!seen.add(entry.uuid())) {
              show("several times in " + second.label(), entry);
            } else if (mine == null) {
              show("only in " + second.label(), entry);
            } else {
              compare(mine.entry(), mine.form().of(entry));
            }
          }
        });
    seen.retainAll(held.keySet());
    held.forEach(
        (name, mine) -> {
          if (!seen.contains(name)) {
            show("only in " + first.label(), mine.entry());
          }
        });
    seen.removeAll(shown);
    equal += seen.size();
    different -= wanted.size() - shown.size();
  }

  /** Reads the wanted entries of the first place. */
  private void hold(Map<UUID, Held> held) throws IOException {
    long[] left = {heldBytes, summaryBytes};
    first.read(
        entry -> {
          if (!wanted.contains(entry.uuid())) {
            return;
          }
          if (held.containsKey(entry.uuid())) {
            show("several times in " + first.label(), entry);
          } else {
            held.put(entry.uuid(), held(entry, left));
          }
        });
  }

  /**
   * Returns what is held of an entry.
   *
   * @param left the bytes that are left for whole entries and for summaries
   */
  private static Held held(ComparedEntry entry, long[] left) {
    if (entry.bytes() <= left[0]) {
      left[0] -= entry.bytes();
      return new Held(Form.WHOLE, entry);
    }
    ComparedEntry summary = entry.summarized();
    if (summary.bytes() <= left[1]) {
      left[1] -= summary.bytes();
      return new Held(Form.SUMMARIZED, summary);
    }
    return new Held(Form.REDUCED, entry.reduced());
  }

  private void compare(ComparedEntry mine, ComparedEntry theirs) {
    List<String> parts = mine.differences(theirs);
    if (!parts.isEmpty() && show("differs", mine)) {
      parts.forEach(part -> hold("  " + part));
    }
  }

  /** Shows the first difference of a name, if there is room; returns whether that was done. */
  private boolean show(String kind, ComparedEntry entry) {
    boolean isFirst = shown.add(entry.uuid());
    boolean isShown = isFirst && characters < HELD_CHARACTERS;
    if (isShown) {
      hold(kind + ": " + ErrorMessages.printable(entry.dn()));
    } else if (isFirst) {
      dropped++;
    }
    return isShown;
  }

  private void hold(String line) {
    lines.add(line);
    characters += line.length();
  }
}
