package org.nyala.core.operation;

import org.nyala.core.ServerLimits;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.Schema;
import org.nyala.core.search.AttributeSelection;
import org.nyala.core.search.FilterMatcher;

/**
 * What one slice after the other on a thread works with, so that it need not be made anew.
 *
 * <p>Confined to one running operation, for one slice: nothing may stay here between slices but
 * what is remembered for everybody.
 */
final class OperationScratch {
  final EntryView view = new EntryView();
  final EntryView other = new EntryView();
  final ValueCursor values = new ValueCursor();
  final FilterMatcher matcher;
  final NameCache names;
  final SelectionCache selections;

  OperationScratch(Schema schema, AttributeSelection.Visibility visibility, ServerLimits limits) {
    matcher = new FilterMatcher(schema, visibility);
    names = new NameCache(schema, limits);
    selections = new SelectionCache(schema, visibility);
  }
}
