package org.nyala.lmdb.admin;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.StoredLargeValues;
import org.nyala.lmdb.format.ValueKeys;

/**
 * Checks whether the values that are stored out of line are there, each at its key, and as many as
 * their heads state.
 *
 * <p>Confined to one running operation.
 */
final class LargeValuesCheck implements LargeValues.Source {
  private final TxnHandle slot;
  private final AttributeTable table;
  private final ByteAppender bytes = new ByteAppender(256);
  private final ByteAppender scratch = new ByteAppender(256);
  private final ByteAppender name = new ByteAppender(512);
  private final ValueCursor cursor = new ValueCursor();
  private @Nullable StoredLargeValues values;
  private long rows;

  LargeValuesCheck(TxnHandle slot, AttributeTable table) {
    this.slot = slot;
    this.table = table;
  }

  /** Returns the number of rows that belong to the entries that were checked. */
  long rows() {
    return rows;
  }

  /** Returns the number of rows of the database. */
  static long rows(TxnHandle slot) {
    LmdbEnvironment environment = slot.environment();
    return environment.hasValues() ? environment.values().stat(slot.txn()).entries : 0;
  }

  @Override
  public @Nullable LargeValues largeValues(EntryView view, int index) {
    return open(view.id(), view.attributeId(index));
  }

  private @Nullable StoredLargeValues open(long entryId, int attribute) {
    StoredLargeValues open = values;
    if (open == null) {
      open = new StoredLargeValues(slot);
      values = open;
    }
    return open.open(entryId, attribute, table.description(attribute).type()) ? open : null;
  }

  /**
   * Returns the fault in an entry's out-of-line values, or null. Makes this object the view's
   * source of large values.
   */
  @Nullable String problem(EntryView view) {
    view.largeSource(this);
    for (int index = 0; index < view.attributeCount(); index++) {
      if (!cursor.open(view, index).next()) {
        return "the values of " + table.description(view.attributeId(index)) + " are missing";
      }
      LargeValues large = view.largeValues(index);
      String problem = large == null ? null : problem(view, index);
      if (problem != null) {
        return problem;
      }
    }
    return null;
  }

  private @Nullable String problem(EntryView view, int index) {
    int attribute = view.attributeId(index);
    StoredLargeValues large = open(view.id(), attribute);
    if (large == null) {
      return null;
    }
    rows++;
    long count = 0;
    long octets = 0;
    while (large.next()) {
      count++;
      octets += ValueKeys.octets(large.length());
      if (!isAtItsKey(large, table.description(attribute).type())) {
        return "a value of "
            + table.description(attribute)
            + " is stored at the key of another one";
      }
    }
    rows += count;
    return count > 0 && count == large.count() && octets == large.octets()
        ? null
        : table.description(attribute)
            + " has "
            + count
            + " values out of line, not "
            + large.count();
  }

  private boolean isAtItsKey(StoredLargeValues large, AttributeType type) {
    int length = large.length();
    bytes.clear().append(large.buffer(), 0, length);
    ValueKeys.appendName(type.equality(), bytes.array(), 0, length, scratch, name.clear());
    ByteBuffer key = large.wholeKey();
    return key.remaining() == ValueKeys.PREFIX_LENGTH + name.length()
        && key.slice(ValueKeys.PREFIX_LENGTH, name.length())
            .equals(ByteBuffer.wrap(name.array(), 0, name.length()));
  }
}
