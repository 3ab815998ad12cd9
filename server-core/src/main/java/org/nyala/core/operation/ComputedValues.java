package org.nyala.core.operation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.search.AttributeSelection;
import org.nyala.core.search.ComputedAttributes;

/** Makes the attributes that were asked for and that no store holds. */
final class ComputedValues {
  private ComputedValues() {}

  /** The selected ones for an entry, each a whole BER {@code PartialAttribute}. */
  static List<byte[]> of(SearchPlan plan, ReadTransaction transaction, EntryView view) {
    return of(plan.directory(), plan.selection(), transaction, view);
  }

  /** The selected ones for an entry, each a whole BER {@code PartialAttribute}. */
  static List<byte[]> of(
      Directory directory,
      AttributeSelection selection,
      ReadTransaction transaction,
      EntryView view) {
    ComputedAttributes types = directory.computed();
    List<byte[]> attributes = new ArrayList<>(3);
    add(selection, types.entryDn(), view.dn(), attributes);
    add(selection, types.subschemaSubentry(), utf8(ComputedAttributes.SUBSCHEMA_DN), attributes);
    if (selects(selection, types.hasSubordinates())) {
      boolean has = transaction.hasSubordinates(view.id());
      add(selection, types.hasSubordinates(), utf8(has ? "TRUE" : "FALSE"), attributes);
    }
    if (selects(selection, types.numSubordinates())) {
      long count = transaction.subordinateCount(view.id());
      add(selection, types.numSubordinates(), utf8(Long.toString(count)), attributes);
    }
    return attributes;
  }

  private static boolean selects(AttributeSelection selection, @Nullable AttributeType type) {
    return type != null && selection.selects(AttributeDescription.of(type));
  }

  private static void add(
      AttributeSelection selection,
      @Nullable AttributeType type,
      byte[] value,
      List<byte[]> attributes) {
    if (type != null && selects(selection, type)) {
      List<byte[]> values = selection.typesOnly() ? List.of() : List.of(value);
      attributes.add(PartialAttributes.encode(utf8(type.name()), values));
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
