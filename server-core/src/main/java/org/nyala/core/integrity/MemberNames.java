package org.nyala.core.integrity;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.entry.ValuePosition;
import org.nyala.core.filter.AttributeSelector;

/**
 * The values of the group attributes of one entry, in batches. If the entry has changed meanwhile,
 * they start again from the first one, a limited number of times.
 *
 * <p>Confined to one running operation.
 */
final class MemberNames {
  /** The number of values in a batch. */
  private static final int BATCH = 64;

  /** The limit of restarts because the entry has changed. */
  private static final int MOST_RESTARTS = 32;

  private final List<AttributeSelector> attributes;
  private final long group;
  private final EntryView view = new EntryView();
  private final ValueCursor values = new ValueCursor();
  private final EntryMark mark = new EntryMark();
  private int index;
  private @Nullable ValuePosition position;
  private boolean isBegun;
  private int restarts;
  private boolean isTooMany;

  MemberNames(List<AttributeSelector> attributes, long group) {
    this.attributes = attributes;
    this.group = group;
  }

  /** Returns whether there are more values than room, or they change too often. */
  boolean isTooMany() {
    return isTooMany;
  }

  /**
   * Returns the next batch; empty at the end.
   *
   * @param room the maximum number of further values
   */
  List<byte[]> next(ReadTransaction transaction, int room) {
    List<byte[]> batch = new ArrayList<>();
    if (!transaction.read(group, view)) {
      return batch;
    }
    if (isBegun && !mark.isSame(view)) {
      index = 0;
      position = null;
      isTooMany = ++restarts > MOST_RESTARTS;
    }
    isBegun = true;
    while (index < view.attributeCount() && batch.size() < BATCH && !isTooMany) {
      if (isSelected(transaction)) {
        add(batch, room);
      }
      if (position == null) {
        index++;
      }
    }
    mark.put(view);
    return batch;
  }

  private boolean isSelected(ReadTransaction transaction) {
    for (int i = 0; i < attributes.size(); i++) {
      if (attributes.get(i).selects(transaction.attributes(), view.attributeId(index))) {
        return true;
      }
    }
    return false;
  }

  /** Adds values of an attribute; leaves a position if there are more. */
  private void add(List<byte[]> batch, int room) {
    ValuePosition from = position;
    if (from == null) {
      LargeValues large = view.largeValues(index);
      if (large != null && large.count() > room - batch.size()) {
        isTooMany = true;
        return;
      }
      values.open(view, index);
    } else {
      values.open(view, index, from);
    }
    position = null;
    while (values.next()) {
      if (batch.size() == BATCH) {
        position = values.position(view);
        return;
      }
      if (batch.size() >= room) {
        isTooMany = true;
        return;
      }
      batch.add(values.value());
    }
  }
}
