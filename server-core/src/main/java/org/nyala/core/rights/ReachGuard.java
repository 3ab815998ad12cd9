package org.nyala.core.rights;

import java.util.function.LongConsumer;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.rights.Reach.Extent;
import org.nyala.core.schema.Schema;

/**
 * Lets through the items of a filter that the client may test anywhere in a search's scope, before
 * the search is planned: what it may test nowhere touches no index.
 *
 * <p>Confined to one running operation.
 */
public final class ReachGuard implements GuardedFilter.Guard {
  private final Schema schema;
  private final Reach reach;
  private final AttributeTable table;
  private boolean isMixed;

  /**
   * Creates a guard.
   *
   * @param schema the schema by which rules were read
   * @param reach the rights of the client in the scope
   * @param table the attributes that entries have
   */
  public ReachGuard(Schema schema, Reach reach, AttributeTable table) {
    this.schema = schema;
    this.reach = reach;
    this.table = table;
  }

  /** Returns whether each entry has to be asked about, because of an item seen so far. */
  public boolean isMixed() {
    return isMixed;
  }

  @Override
  public Part of(FilterNode item, LongConsumer work) {
    AttributeDescription tested = TestedAttributes.of(schema, item);
    Extent extent = Extent.MIXED;
    if (tested != null) {
      boolean isAboutValues = !(item instanceof FilterNode.Present);
      extent = reach.ofTest(table, tested, Right.SEARCH, isAboutValues, work);
    }
    isMixed |= extent == Extent.MIXED;
    return extent == Extent.NOWHERE ? Part.NONE : Part.ALL;
  }

  @Override
  public CompiledFilter restricted(CompiledFilter item) {
    return item;
  }
}
