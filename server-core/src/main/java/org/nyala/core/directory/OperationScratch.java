package org.nyala.core.directory;

import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryUuid;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.Schema;

/**
 * The reusable objects of a thread for one slice after the other, so that slices need not allocate
 * them.
 *
 * <p>Confined to one running operation, for one slice: between slices only data that any operation
 * may use may stay here.
 */
public final class OperationScratch {
  public final EntryView view = new EntryView();
  public final EntryView other = new EntryView();
  public final ValueCursor values = new ValueCursor();
  public final FilterMatcher matcher;
  public final NameCache names;
  public final SelectionCache selections;
  public final EntryUuid uuid;

  /** Selections among all attributes, of which access rules let clients see some. */
  public final SelectionCache openSelections;

  OperationScratch(
      Schema schema,
      AttributeSelection.Visibility visibility,
      AttributeSelection.Visibility all,
      ServerLimits limits) {
    openSelections = new SelectionCache(schema, all);
    matcher = new FilterMatcher(schema, visibility);
    names = new NameCache(schema, limits);
    uuid = new EntryUuid(schema);
    selections = new SelectionCache(schema, visibility);
  }

  /**
   * Goes on with the match of the entry that {@link #view} shows.
   *
   * @return null if the slice is over
   * @throws LdapOperationException adminLimitExceeded if too many groups would have to be
   *     considered, busy if the entry changes more often than it can be tested, or there is no
   *     memory for the filter
   */
  public @Nullable Ternary match(
      EntryMatch entry, AttributeTable table, LongPredicate hasSubordinates, Pace pace)
      throws LdapOperationException {
    Ternary value = matcher.match(entry, view, table, hasSubordinates, pace);
    if (hasSubordinates instanceof StoredEntryFacts probe) {
      probe.requireComplete();
    }
    if (value == null && entry.isRefused()) {
      throw new LdapOperationException(ResultCode.BUSY, "there is no memory to test entries");
    }
    if (value == null && entry.isHopeless()) {
      throw new LdapOperationException(
          ResultCode.BUSY, "the entry changes more often than it can be tested");
    }
    return value;
  }
}
