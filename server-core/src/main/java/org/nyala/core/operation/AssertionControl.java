package org.nyala.core.operation;

import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.FilterLimitException;
import org.nyala.core.search.FilterNode;
import org.nyala.core.search.FilterReader;
import org.nyala.core.search.Ternary;

/** The control that lets an operation happen only where a filter matches (RFC 4528). */
final class AssertionControl {
  private AssertionControl() {}

  /**
   * The filter of a request's control; null where it has none.
   *
   * @throws LdapOperationException protocolError when the value is no filter, adminLimitExceeded
   *     when it is too large
   */
  static @Nullable CompiledFilter read(Directory directory, RequestControls controls)
      throws LdapOperationException {
    FilterReader reader = new FilterReader(directory.limits());
    FilterNode filter = controls.decode(ControlType.ASSERTION, reader::read);
    if (filter == null) {
      return null;
    }
    try {
      return directory.filters().compile(filter);
    } catch (FilterLimitException e) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Checks the entry that {@link OperationScratch#view} shows.
   *
   * @param assertion the filter, or null for none
   * @throws LdapOperationException assertionFailed unless the filter is TRUE, adminLimitExceeded
   *     where too many groups would have to be considered to know
   */
  static void check(
      @Nullable CompiledFilter assertion,
      OperationScratch scratch,
      AttributeTable table,
      LongPredicate hasSubordinates)
      throws LdapOperationException {
    if (assertion == null) {
      return;
    }
    Ternary value = scratch.matcher.match(assertion, scratch.view, table, hasSubordinates);
    if (hasSubordinates instanceof FilterProbe probe) {
      probe.requireComplete();
    }
    if (value != Ternary.TRUE) {
      throw new LdapOperationException(LdapResult.of(ResultCode.ASSERTION_FAILED));
    }
  }
}
