package org.nyala.core.directory;

import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.schema.Schema;

/**
 * What one slice after the other on a thread works with, so that it need not be made anew.
 *
 * <p>Confined to one running operation, for one slice: nothing may stay here between slices but
 * what is remembered for everybody.
 */
public final class OperationScratch {
  public final EntryView view = new EntryView();
  public final EntryView other = new EntryView();
  public final ValueCursor values = new ValueCursor();
  public final FilterMatcher matcher;
  public final NameCache names;
  public final SelectionCache selections;

  OperationScratch(Schema schema, AttributeSelection.Visibility visibility, ServerLimits limits) {
    matcher = new FilterMatcher(schema, visibility);
    names = new NameCache(schema, limits);
    selections = new SelectionCache(schema, visibility);
  }
}
