package org.nyala.core.operation.search;

import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * Sends entries with values that are kept apart. Hot: all other entries cost one read of their
 * flags.
 */
public final class LargeEntries {
  /**
   * The bytes beyond which nothing is sent in the first slice of a search, which may run on an
   * event loop that others wait for: about 100 microseconds' worth.
   */
  private static final long SLOW_OCTETS = 64 << 10;

  /**
   * The most bytes of values that one entry is sent with. A message is built in memory as a whole,
   * because its length comes first; 256 MiB are some 4 million members.
   */
  static final long SENDABLE_OCTETS = 256L << 20;

  /** The octets for which nothing is reserved. */
  private static final int FEW_OCTETS = 32 * 1024;

  /** The values beyond which an entry is sent in parts: less than a millisecond's worth. */
  private static final long MANY_VALUES = 2048;

  /** The bytes of values beyond which an entry is sent in parts. */
  private static final long MANY_OCTETS = 1 << 20;

  private LargeEntries() {}

  /** Returns whether sending the selected attributes of an entry takes long. */
  public static boolean isSlow(EntryView view, AttributeTable table, AttributeSelection selection) {
    return (view.flags() & EntryRecord.LARGE) != 0
        && octetsApart(view, table, selection) > SLOW_OCTETS;
  }

  /** Returns whether the selected attributes of an entry are sent in parts. */
  static boolean takesParts(EntryView view, AttributeTable table, AttributeSelection selection) {
    return (view.flags() & EntryRecord.LARGE) != 0
        && (valuesApart(view, table, selection) > MANY_VALUES
            || octetsApart(view, table, selection) > MANY_OCTETS);
  }

  /**
   * Checks that the selected attributes of an entry are not too much for one message.
   *
   * @throws LdapOperationException adminLimitExceeded if they are
   */
  public static void requireSendable(
      EntryView view, AttributeTable table, AttributeSelection selection)
      throws LdapOperationException {
    if ((view.flags() & EntryRecord.LARGE) != 0
        && octetsApart(view, table, selection) > SENDABLE_OCTETS) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "an entry with more values than one message can hold");
    }
  }

  /**
   * Returns about the octets that an entry is sent with, if they are worth a reservation; 0 if they
   * are few. One comparison for ordinary entries.
   */
  static long octets(EntryView view, AttributeTable table, AttributeSelection selection) {
    boolean isLarge = (view.flags() & EntryRecord.LARGE) != 0;
    if (!isLarge && view.recordLength() <= FEW_OCTETS || selection.typesOnly()) {
      return 0;
    }
    long octets = isLarge ? octetsApart(view, table, selection) : 0;
    for (int i = 0; i < view.attributeCount(); i++) {
      if (selection.selects(table, view.attributeId(i))) {
        octets += view.attributeEnd(i) - view.attributeStart(i);
      }
    }
    return octets <= FEW_OCTETS ? 0 : octets + view.dnLength();
  }

  /** Length in bytes of the selected values that are apart; none are sent when types are enough. */
  static long octetsApart(EntryView view, AttributeTable table, AttributeSelection selection) {
    long octets = 0;
    int count = selection.typesOnly() ? 0 : view.attributeCount();
    for (int i = 0; i < count; i++) {
      if (selection.selects(table, view.attributeId(i))) {
        LargeValues large = view.largeValues(i);
        octets += large == null ? 0 : large.octets();
      }
    }
    return octets;
  }

  /** Returns the number of the selected values that are apart. */
  static long valuesApart(EntryView view, AttributeTable table, AttributeSelection selection) {
    long values = 0;
    int count =
        selection.typesOnly() || (view.flags() & EntryRecord.LARGE) == 0
            ? 0
            : view.attributeCount();
    for (int i = 0; i < count; i++) {
      if (selection.selects(table, view.attributeId(i))) {
        LargeValues large = view.largeValues(i);
        values += large == null ? 0 : large.count();
      }
    }
    return values;
  }
}
