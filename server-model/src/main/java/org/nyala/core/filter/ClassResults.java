package org.nyala.core.filter;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;

/**
 * The results of a filter that asks for object classes alone, for the sets of classes that entries
 * had last: most entries have one of a few, written alike.
 *
 * <p>Thread-safe. Hot.
 */
public final class ClassResults {
  private static final String OBJECT_CLASS_OID = "2.5.4.0";
  private static final int MOST_KEPT = 8;
  private static final int MOST_BYTES = 256;

  private final AttributeSelector objectClass;
  private final AtomicReferenceArray<@Nullable Known> known = new AtomicReferenceArray<>(MOST_KEPT);

  /** The place that gave way last; two threads may take the same one, which costs a result. */
  private int oldest = MOST_KEPT - 1;

  private volatile Column column = new Column(AttributeTable.EMPTY, -1);

  /** A set of classes as it is stored, and the result. */
  private record Known(byte[] stored, boolean result) {}

  /** The number of the one attribute of classes in a table; -1 if it has none, or several. */
  private record Column(AttributeTable table, int id) {}

  private ClassResults(AttributeSelector objectClass) {
    this.objectClass = objectClass;
  }

  /** Returns the results of a filter, of which none is known; null if it asks for anything else. */
  public static @Nullable ClassResults of(CompiledFilter filter) {
    AttributeSelector asked = asked(filter);
    return asked == null ? null : new ClassResults(asked);
  }

  private static @Nullable AttributeSelector asked(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.ValueItem test
          when test.attribute().description().type().oid().equals(OBJECT_CLASS_OID) ->
          test.attribute();
      case CompiledFilter.And and -> asked(and.nodes());
      case CompiledFilter.Or or -> asked(or.nodes());
      case CompiledFilter.Not not -> asked(not.node());
      default -> null;
    };
  }

  private static @Nullable AttributeSelector asked(List<CompiledFilter> nodes) {
    AttributeSelector asked = null;
    for (CompiledFilter node : nodes) {
      asked = asked(node);
      if (asked == null) {
        return null;
      }
    }
    return asked;
  }

  /** Returns whether an entry matches the filter; null if that is not known. */
  public @Nullable Boolean of(EntryView entry, AttributeTable table) {
    int index = index(entry, table);
    if (index < 0) {
      return null;
    }
    int start = entry.attributeStart(index);
    int length = entry.attributeEnd(index) - start;
    for (int i = 0; i < MOST_KEPT; i++) {
      Known each = known.get(i);
      if (each == null) {
        return null;
      }
      if (isSame(each.stored(), entry.buffer(), start, length)) {
        return each.result();
      }
    }
    return null;
  }

  private static boolean isSame(byte[] stored, ByteBuffer buffer, int start, int length) {
    if (stored.length != length) {
      return false;
    }
    // The last classes differ sooner than the name of the attribute.
    for (int i = length - 1; i >= 0; i--) {
      if (stored[i] != buffer.get(start + i)) {
        return false;
      }
    }
    return true;
  }

  /** Keeps a result; one of those that are kept gives way if there is no room. */
  public void keep(EntryView entry, AttributeTable table, boolean result) {
    int index = index(entry, table);
    if (index < 0) {
      return;
    }
    int start = entry.attributeStart(index);
    int length = entry.attributeEnd(index) - start;
    if (length > MOST_BYTES) {
      return;
    }
    byte[] stored = new byte[length];
    entry.buffer().get(start, stored);
    int place = 0;
    while (place < MOST_KEPT && known.get(place) != null) {
      place++;
    }
    known.set(place < MOST_KEPT ? place : nextPlace(), new Known(stored, result));
  }

  private int nextPlace() {
    oldest = (oldest + 1) % MOST_KEPT;
    return oldest;
  }

  private int index(EntryView entry, AttributeTable table) {
    Column present = column;
    if (present.table() != table) {
      present = new Column(table, id(table));
      column = present;
    }
    int id = present.id();
    for (int i = 0; id > 0 && i < entry.attributeCount(); i++) {
      if (entry.attributeId(i) == id) {
        return entry.isApart(i) ? -1 : i;
      }
    }
    return -1;
  }

  private int id(AttributeTable table) {
    int found = -1;
    for (int id = 1; id <= table.size(); id++) {
      if (objectClass.selects(table, id)) {
        if (found > 0) {
          return -1;
        }
        found = id;
      }
    }
    return found;
  }
}
