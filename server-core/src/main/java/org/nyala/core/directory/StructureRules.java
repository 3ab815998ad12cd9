package org.nyala.core.directory;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.rules.EntryRules;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.DitStructureRule;
import org.nyala.core.schema.Schema;

/**
 * The search for the DIT structure rule that governs an entry (RFC 4512, section 4.1.7.1), by its
 * name, its structural class and the entries above it. Costs nothing if the schema has no such
 * rules.
 *
 * <p>Immutable.
 */
public final class StructureRules {
  private final Schema schema;
  private final EntryRules rules;
  private final @Nullable AttributeSelector objectClass;

  public StructureRules(Schema schema, EntryRules rules) {
    this.schema = schema;
    this.rules = rules;
    AttributeType type = schema.attributeType("objectClass");
    this.objectClass = type == null ? null : new AttributeSelector(AttributeDescription.of(type));
  }

  /**
   * Checks that an entry may stand below another one.
   *
   * @param parent the entry id above; {@link ReadTransaction#NO_ENTRY} at the top
   * @throws LdapOperationException namingViolation if there are rules for such entries and none
   *     fits
   */
  public void check(ReadTransaction transaction, ClassSet classes, Dn name, long parent)
      throws LdapOperationException {
    if (!schema.structureRules().isEmpty()) {
      rules.governingRule(classes, name, governing(transaction, parent));
    }
  }

  /** The rule that governs a stored entry; null if none does. Leaves views where they are. */
  public @Nullable DitStructureRule governing(ReadTransaction transaction, long id) {
    if (id == ReadTransaction.NO_ENTRY) {
      return null;
    }
    Placed entry = transaction.readAside(id, view -> placed(transaction, view));
    return entry == null ? null : governing(transaction, entry);
  }

  /** The parts of an entry that a rule looks at. */
  private record Placed(List<byte[]> classes, byte[] name, long parent) {}

  private Placed placed(ReadTransaction transaction, EntryView view) {
    List<byte[]> classes =
        ServerSelectors.values(view, transaction.attributes(), objectClass, new ValueCursor());
    return new Placed(classes, view.dn(), view.parentId());
  }

  private @Nullable DitStructureRule governing(ReadTransaction transaction, Placed entry) {
    DitStructureRule above = governing(transaction, entry.parent());
    try {
      Dn dn = DnParser.parse(schema, entry.name(), Integer.MAX_VALUE, Integer.MAX_VALUE);
      return rules.governingRule(schema.classSet(entry.classes()), dn, above);
    } catch (InvalidDnException | LdapOperationException _) {
      // An entry from before the rules: none governs it.
      return null;
    }
  }
}
