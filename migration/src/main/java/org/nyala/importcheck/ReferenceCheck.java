package org.nyala.importcheck;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * Checks that values which have to name entries name one, if they are within the naming contexts.
 *
 * <p>Confined to one running operation, and to one transaction.
 */
final class ReferenceCheck {
  private static final int SEPARATOR = '#';

  private final ReadTransaction read;
  private final Schema schema;
  private final List<Dn> contexts;
  private final FindingCounts counts;
  private final boolean[] selected;
  private final boolean[] hasIdentifiers;
  private final ValueCursor values = new ValueCursor();

  ReferenceCheck(
      ReadTransaction read,
      Schema schema,
      Set<AttributeType> types,
      List<Dn> contexts,
      FindingCounts counts) {
    this.read = read;
    this.schema = schema;
    this.contexts = contexts;
    this.counts = counts;
    AttributeTable table = read.attributes();
    selected = new boolean[table.size() + 1];
    hasIdentifiers = new boolean[table.size() + 1];
    for (int id = 1; id < selected.length; id++) {
      AttributeType type = table.description(id).type();
      selected[id] = types.stream().anyMatch(type::isOrDescendsFrom);
      hasIdentifiers[id] =
          type.equality() != null && type.equality().name().equals("uniqueMemberMatch");
    }
  }

  void test(EntryView entry) {
    for (int i = 0; i < entry.attributeCount(); i++) {
      int id = entry.attributeId(i);
      if (selected[id]) {
        values.open(entry, i);
        while (values.next()) {
          test(entry, id, values.value());
        }
      }
    }
  }

  private void test(EntryView entry, int id, byte[] value) {
    Dn name = name(value, hasIdentifiers[id]);
    if (name == null || !isWithin(name) || read.find(name) != ReadTransaction.NO_ENTRY) {
      return;
    }
    counts.add(
        Finding.Kind.DANGLING_REFERENCE,
        read.attributes().description(id).type().name(),
        () -> name + " in " + DnParser.parseStored(schema, entry.dn()));
  }

  /** Returns the name in a value, without the bit string of a name with an optional identifier. */
  private @Nullable Dn name(byte[] value, boolean hasIdentifier) {
    byte[] dn = value;
    if (hasIdentifier && value.length > 2 && value[value.length - 1] == 'B') {
      int at = value.length - 1;
      while (at > 0 && value[at] != SEPARATOR) {
        at--;
      }
      dn = value[at] == SEPARATOR ? Arrays.copyOf(value, at) : value;
    }
    try {
      return DnParser.parse(
          schema, dn, DnParser.DEFAULT_MAXIMUM_LENGTH, DnParser.DEFAULT_MAXIMUM_RDNS);
    } catch (InvalidDnException _) {
      return null;
    }
  }

  private boolean isWithin(Dn name) {
    for (Dn context : contexts) {
      if (name.rdnCount() > 0 && name.isWithin(context)) {
        return true;
      }
    }
    return false;
  }
}
