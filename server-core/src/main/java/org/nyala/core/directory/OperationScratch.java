package org.nyala.core.directory;

import org.nyala.core.entry.EntryUuid;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.limits.ServerLimits;
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
}
