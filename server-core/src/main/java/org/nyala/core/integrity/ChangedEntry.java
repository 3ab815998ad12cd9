package org.nyala.core.integrity;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Ternary;
import org.nyala.core.rules.ValueSet;
import org.nyala.core.schema.Schema;

/**
 * A stored entry as objects, as a change leaves it; without values that are kept apart. Stateless.
 */
public final class ChangedEntry {
  private ChangedEntry() {}

  /** Returns the entry that a view shows, by another name, and changed. */
  public static Entry of(
      ReadTransaction transaction, EntryView view, Dn name, List<AttributeChange> changes) {
    Entry entry = new Entry(name);
    ValueCursor values = new ValueCursor();
    boolean mayBeLarge = (view.flags() & EntryRecord.LARGE) != 0;
    for (int i = 0; i < view.attributeCount(); i++) {
      if (!mayBeLarge || transaction.largeValues(view, i) == null) {
        AttributeDescription description =
            transaction.attributes().description(view.attributeId(i));
        values.open(view, i);
        while (values.next()) {
          entry.add(description, values.value());
        }
      }
    }
    for (AttributeChange change : changes) {
      apply(entry, change);
    }
    return entry;
  }

  private static void apply(Entry entry, AttributeChange change) {
    AttributeDescription description = change.description();
    List<byte[]> before = entry.remove(description);
    List<byte[]> after =
        switch (change) {
          case AttributeChange.Replaced replaced -> replaced.values();
          case AttributeChange.Updated updated -> {
            ValueSet set =
                ValueSet.of(description.type(), before == null ? new ArrayList<>() : before);
            updated.removed().forEach(set::remove);
            updated.added().forEach(set::add);
            yield set.toList();
          }
        };
    after.forEach(value -> entry.add(description, value));
  }

  /** Returns whether a filter is true for an entry as it will be, with nothing below it. */
  public static boolean matches(Schema schema, CompiledFilter filter, Entry entry) {
    VirtualEntry virtual = VirtualEntry.of(entry);
    EntryView view = new EntryView();
    virtual.show(view);
    return new FilterMatcher(schema, _ -> true)
            .match(filter, view, virtual.table(), VirtualEntry::hasSubordinates)
        == Ternary.TRUE;
  }
}
