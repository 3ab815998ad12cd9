package org.nyala.core.directory;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;

/**
 * The values of an entry that its client may read. Stateless.
 *
 * <p>For attributes of a few values, which are copied at once: what referral objects and aliases
 * lead to.
 */
public final class SeenValues {
  private SeenValues() {}

  /**
   * Returns copies of those values of the selected attributes of an entry that the client may read.
   *
   * @param table the numbers of the entry's attributes
   * @param attribute the attribute, with those that descend from it; null for none
   * @param cursor is moved
   * @param rights the client's rights by access rules; null if there are none
   * @param profile the client's rights to the entry; null for none, if there are access rules
   */
  public static List<byte[]> of(
      EntryView view,
      AttributeTable table,
      @Nullable AttributeSelector attribute,
      ValueCursor cursor,
      @Nullable EntryRights rights,
      @Nullable Profile profile) {
    if (rights == null) {
      return ServerSelectors.values(view, table, attribute, cursor);
    }
    List<byte[]> values = new ArrayList<>(1);
    if (attribute == null || profile == null) {
      return values;
    }
    for (int i = 0; i < view.attributeCount(); i++) {
      int id = view.attributeId(i);
      if (attribute.selects(table, id)) {
        cursor.open(view, i);
        while (cursor.next()) {
          byte[] value = cursor.value();
          if (rights.mayRead(profile, table.description(id), value)) {
            values.add(value);
          }
        }
      }
    }
    return values;
  }
}
