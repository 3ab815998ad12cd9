package org.nyala.lmdb.format;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;

/**
 * The look-ups in each index since the store was opened.
 *
 * <p>Thread-safe. Hot: a look-up costs an addition, and no reading of a clock. The time of the last
 * use is that of the {@linkplain #look look} which found more of them.
 */
public final class IndexUses {
  /** Counts nothing: for look-ups that are no need of clients, such as those of explanations. */
  public static final IndexUses IGNORED = new IndexUses(false);

  /** More than all codes of kinds. */
  private static final int KINDS = 8;

  private final boolean isCounting;
  private volatile @Nullable LongAdder[] counts = {};

  /* Seen at the last look. */
  private long[] seen = {};
  private long[] lastMillis = {};

  /**
   * The uses of one index.
   *
   * @param index the attribute type and the one kind
   * @param count the number of look-ups
   * @param lastMillis when a look has found the last one, in milliseconds since 1970; 0 if there
   *     was none
   */
  public record Use(IndexDefinition index, long count, long lastMillis) {}

  /** Creates counters of nothing. */
  public IndexUses() {
    this(true);
  }

  private IndexUses(boolean isCounting) {
    this.isCounting = isCounting;
  }

  /**
   * Counts a look-up.
   *
   * @param attribute the number of the plain type
   */
  public void used(int attribute, IndexKind kind) {
    if (isCounting) {
      int at = attribute * KINDS + kind.code();
      @Nullable LongAdder[] known = counts;
      LongAdder count = at < known.length ? known[at] : null;
      (count == null ? make(at) : count).increment();
    }
  }

  private synchronized LongAdder make(int at) {
    @Nullable LongAdder[] known = counts;
    LongAdder made = at < known.length ? known[at] : null;
    if (made == null) {
      made = new LongAdder();
      @Nullable LongAdder[] more = Arrays.copyOf(known, Math.max(known.length, at + 1));
      more[at] = made;
      counts = more;
    }
    return made;
  }

  /** Looks which indexes were used since the last look. */
  public synchronized void look(long nowMillis) {
    @Nullable LongAdder[] known = counts;
    seen = Arrays.copyOf(seen, known.length);
    lastMillis = Arrays.copyOf(lastMillis, known.length);
    for (int i = 0; i < known.length; i++) {
      LongAdder count = known[i];
      long sum = count == null ? 0 : count.sum();
      if (sum != seen[i]) {
        seen[i] = sum;
        lastMillis[i] = nowMillis;
      }
    }
  }

  /**
   * Returns the uses of some indexes, as of the last look.
   *
   * @param table the numbers of attributes
   * @param definitions the indexes; each of their kinds has uses of its own
   */
  public synchronized List<Use> of(AttributeTable table, List<IndexDefinition> definitions) {
    List<Use> uses = new ArrayList<>();
    for (IndexDefinition each : definitions) {
      for (IndexKind kind : IndexKind.values()) {
        if (each.kinds().contains(kind)) {
          uses.add(use(table, new IndexDefinition(each.type(), Set.of(kind)), kind));
        }
      }
    }
    return uses;
  }

  private Use use(AttributeTable table, IndexDefinition index, IndexKind kind) {
    for (int id : table.numbers(index.type())) {
      int at = id * KINDS + kind.code();
      if (table.description(id).options().isEmpty() && at < seen.length) {
        return new Use(index, seen[at], lastMillis[at]);
      }
    }
    return new Use(index, 0, 0);
  }

  /** Begins anew: another store has other numbers. */
  public synchronized void clear() {
    counts = new LongAdder[0];
    seen = new long[0];
    lastMillis = new long[0];
  }
}
