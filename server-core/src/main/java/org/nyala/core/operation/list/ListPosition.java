package org.nyala.core.operation.list;

import java.util.Arrays;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.control.VirtualListView;
import org.nyala.core.directory.SortedList;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.ListRequest;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SeenEntries;

/**
 * Finds places in a sorted list: by halving, reading the keys of as few entries as that takes.
 *
 * <p>Confined to one running operation, within one slice.
 */
final class ListPosition {
  private final SortedList list;
  private final SortOrder order;
  private final ReadTransaction transaction;
  private final SeenEntries seen;
  private final EntryView view;
  private final ByteAppender key = new ByteAppender(256);

  ListPosition(SortedList list, SortOrder order, ReadTransaction transaction, SearchPlan plan) {
    this.list = list;
    this.order = order;
    this.transaction = transaction;
    this.seen = plan.seen();
    this.view = plan.directory().scratch().view;
  }

  /** The place of the first entry behind the given key and id. */
  int after(byte[] lastKey, long lastId) throws LdapOperationException {
    return first(lastKey, lastKey.length, lastId);
  }

  /** The place of the first entry whose key is not before the given one. */
  int notBefore(ByteAppender bound) throws LdapOperationException {
    return first(bound.array(), bound.length(), 0);
  }

  /** The first place whose key is greater, or equal with a greater id. */
  private int first(byte[] bound, int length, long boundId) throws LdapOperationException {
    int low = 0;
    int high = list.entries().length;
    while (low < high) {
      int middle = low + high >>> 1;
      int probe = readable(middle, high);
      if (probe < high && compare(probe, bound, length, boundId) <= 0) {
        low = probe + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The first place from {@code from} to {@code end} whose entry is still there. */
  private int readable(int from, int end) {
    int place = from;
    while (place < end && !seen.read(transaction, list.entries()[place])) {
      place++;
    }
    return place;
  }

  private int compare(int place, byte[] bound, int length, long boundId)
      throws LdapOperationException {
    // The entry was seen when the list was made, and may be hidden by now.
    boolean[] searchable = order.isGuarded() ? seen.searchableAtOnce(transaction, view) : null;
    order.append(transaction, view, searchable, key.clear());
    int byKey = Arrays.compareUnsigned(key.array(), 0, key.length(), bound, 0, length);
    return byKey != 0 ? byKey : Long.compare(list.entries()[place], boundId);
  }

  /**
   * Returns the position that a list view requests, from 0; the number of entries if the target is
   * behind the last one.
   *
   * @throws LdapOperationException virtualListViewError: offsetRangeError, or inappropriateMatching
   */
  int target(VirtualListView request) throws LdapOperationException {
    byte[] value = request.value();
    if (value == null) {
      return byOffset(request.offset(), request.contentCount()) - 1;
    }
    ByteAppender bound = new ByteAppender(value.length + 16);
    if (!order.appendBound(value, bound)) {
      throw ListRequest.viewFailure(
          ResultCode.INAPPROPRIATE_MATCHING, "the value is not valid for the sort key");
    }
    return notBefore(bound);
  }

  /** Scales as the draft does: the middle of the list for the client is the middle here. */
  private int byOffset(int offset, int contentCount) throws LdapOperationException {
    int size = list.entries().length;
    if (offset < 1 || contentCount > 0 && offset > contentCount) {
      throw outOfRange(offset);
    }
    if (size == 0) {
      return 1;
    }
    if (contentCount == 0 || contentCount == size) {
      if (offset > size) {
        throw outOfRange(offset);
      }
      return offset;
    }
    if (offset == 1) {
      return 1;
    }
    long scaled = ((long) size * offset + contentCount / 2) / contentCount;
    return Math.clamp(scaled, 1, size);
  }

  private static LdapOperationException outOfRange(int offset) {
    return ListRequest.viewFailure(
        ResultCode.OFFSET_RANGE_ERROR, "the list has no position " + offset);
  }
}
