package org.nyala.core.operation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.search.ComputedAttributes;

/** Makes the attributes that were asked for and that no store holds. */
final class ComputedValues {
  private ComputedValues() {}

  /** The selected ones for an entry, each a whole BER {@code PartialAttribute}. */
  static List<byte[]> of(SearchPlan plan, ReadTransaction transaction, EntryView view) {
    ComputedAttributes types = plan.directory().computed();
    List<byte[]> attributes = new ArrayList<>(3);
    add(plan, types.entryDn(), view.dn(), attributes);
    add(plan, types.subschemaSubentry(), utf8(ComputedAttributes.SUBSCHEMA_DN), attributes);
    if (plan.selects(types.hasSubordinates())) {
      boolean has = transaction.hasSubordinates(view.id());
      add(plan, types.hasSubordinates(), utf8(has ? "TRUE" : "FALSE"), attributes);
    }
    return attributes;
  }

  private static void add(
      SearchPlan plan, @Nullable AttributeType type, byte[] value, List<byte[]> attributes) {
    if (type != null && plan.selects(type)) {
      List<byte[]> values = plan.request().typesOnly() ? List.of() : List.of(value);
      attributes.add(PartialAttributes.encode(utf8(type.name()), values));
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
