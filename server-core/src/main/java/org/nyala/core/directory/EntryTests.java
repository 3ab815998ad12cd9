package org.nyala.core.directory;

import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.EntryTest;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/** The tests of operations: their results, and their refusals. */
public final class EntryTests {
  private EntryTests() {}

  /**
   * Goes on with the test of the entry that {@link OperationScratch#view} shows.
   *
   * @return null if the slice is over
   * @throws LdapOperationException adminLimitExceeded if too many groups would have to be
   *     considered, busy if the entry changes more often than it can be tested, or there is no
   *     memory for the filter
   */
  public static @Nullable Ternary value(
      EntryTest test,
      OperationScratch scratch,
      AttributeTable table,
      LongPredicate hasSubordinates,
      Pace pace)
      throws LdapOperationException {
    Ternary value = scratch.matcher.match(test, scratch.view, table, hasSubordinates, pace);
    if (hasSubordinates instanceof StoredEntryFacts probe) {
      probe.requireComplete();
    }
    if (value == null && test.isRefused()) {
      throw new LdapOperationException(ResultCode.BUSY, "there is no memory to test entries");
    }
    if (value == null && test.isHopeless()) {
      throw new LdapOperationException(
          ResultCode.BUSY, "the entry changes more often than it can be tested");
    }
    return value;
  }
}
