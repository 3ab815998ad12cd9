package org.nyala.core.operation.update;

import java.util.List;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * Limits the growth of an entry over many changes: a message is bounded by itself, the sum of many
 * is not, and each change of an entry copies its record.
 *
 * <p>Reads the entry's attributes, not their values.
 *
 * <p>Confined to the writer's thread, for one turn.
 */
final class EntrySize {
  /**
   * The number of new values from which an attribute counts only with the next change, when it is
   * known whether they are kept apart; until then the size of a message bounds them.
   */
  private static final int MANY_VALUES = 8;

  /** Tag and length of a value. */
  private static final int OVERHEAD = 6;

  private final ServerLimits.EntrySizes sizes;
  private final long recordBytes;
  private long inRecord;
  private long apart;
  private long recordGrowth;
  private long growth;

  EntrySize(ServerLimits.EntrySizes sizes) {
    this.sizes = sizes;
    this.recordBytes = sizes.within(Runtime.getRuntime().maxMemory()).recordBytes();
  }

  /** Refuses a new entry that is too large. */
  void check(Entry entry) throws LdapOperationException {
    for (AttributeDescription description : entry.descriptions()) {
      List<byte[]> values = entry.values(description);
      if (values != null) {
        grow(values, false);
      }
    }
    require();
  }

  /**
   * Refuses changes that make an entry too large.
   *
   * @param entryId the entry before the changes, to which the view is moved
   */
  void check(
      WriteTransaction transaction, long entryId, EntryView view, List<AttributeChange> changes)
      throws LdapOperationException {
    if (!transaction.read(entryId, view)) {
      return;
    }
    inRecord = view.recordLength();
    for (int index = 0; index < view.attributeCount(); index++) {
      LargeValues large = view.isApart(index) ? transaction.largeValues(view, index) : null;
      apart += large == null ? 0 : large.octets();
    }
    for (AttributeChange change : changes) {
      count(transaction, view, change);
    }
    require();
  }

  private void count(WriteTransaction transaction, EntryView view, AttributeChange change) {
    int index = indexOf(transaction, view, change.description());
    boolean isApart = index >= 0 && view.isApart(index);
    switch (change) {
      case AttributeChange.Updated updated -> {
        shrink(bytes(updated.removed()), isApart);
        grow(updated.added(), isApart);
      }
      case AttributeChange.Replaced replaced -> {
        LargeValues large = isApart ? transaction.largeValues(view, index) : null;
        if (large != null) {
          shrink(large.octets(), true);
        } else if (index >= 0) {
          shrink(view.attributeEnd(index) - view.attributeStart(index), false);
        }
        grow(replaced.values(), false);
      }
    }
  }

  private static int indexOf(
      WriteTransaction transaction, EntryView view, AttributeDescription description) {
    int id = transaction.attributes().id(description);
    for (int index = 0; index < view.attributeCount(); index++) {
      if (view.attributeId(index) == id) {
        return index;
      }
    }
    return -1;
  }

  private void grow(List<byte[]> values, boolean isApart) {
    long bytes = bytes(values);
    growth += bytes;
    if (!isApart && values.size() < MANY_VALUES) {
      recordGrowth += bytes;
    }
  }

  private void shrink(long bytes, boolean isApart) {
    growth -= bytes;
    recordGrowth -= isApart ? 0 : bytes;
  }

  private static long bytes(List<byte[]> values) {
    long bytes = 0;
    for (byte[] value : values) {
      bytes += value.length + OVERHEAD;
    }
    return bytes;
  }

  private void require() throws LdapOperationException {
    require(inRecord, recordGrowth, recordBytes);
    require(inRecord + apart, growth, sizes.bytes());
  }

  private static void require(long before, long grown, long maximum) throws LdapOperationException {
    if (grown > 0 && before + grown > maximum) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "the entry would have "
              + (before + grown)
              + " bytes, at most "
              + maximum
              + " are allowed");
    }
  }
}
