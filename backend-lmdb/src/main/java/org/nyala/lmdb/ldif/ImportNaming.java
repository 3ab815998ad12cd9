package org.nyala.lmdb.ldif;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.EntryVerdicts;
import org.nyala.core.schema.Schema;

/**
 * The naming attributes of the entry that is being prepared.
 *
 * <p>Confined to one running operation.
 */
final class ImportNaming {
  private final Schema schema;
  private final AttributeSlots slots;
  private final ImportValueChecks checks;
  private List<NamingValue> rdn = List.of();

  ImportNaming(Schema schema, AttributeSlots slots, ImportValueChecks checks) {
    this.schema = schema;
    this.slots = slots;
    this.checks = checks;
  }

  /**
   * Checks the attributes of the RDN, and adds the values that the entry lacks, as add does.
   *
   * @param name the name of the entry, or its RDN alone
   * @param line the line of the name
   * @return the fault of the name, or null
   */
  @Nullable String complete(Dn name, long line) {
    try {
      rdn = DnParser.namingValues(schema, name.rdn(0));
    } catch (InvalidDnException e) {
      return "invalid DN: " + e.getMessage();
    }
    for (NamingValue each : rdn) {
      String error = EntryVerdicts.naming(each.type(), true);
      if (error != null) {
        return error;
      }
    }
    for (NamingValue each : rdn) {
      String error = complete(each, line);
      if (error != null) {
        return error;
      }
    }
    return null;
  }

  private @Nullable String complete(NamingValue naming, long line) {
    AttributeSlots.Slot slot = slots.ofType(naming.type());
    boolean isPresent = slots.isPresent(slot);
    if (isPresent && checks.contains(slot, naming.value())) {
      return null;
    }
    if (isPresent && slot.attribute.isSingleValued) {
      return EntryVerdicts.namingConflict(naming.type(), naming.value());
    }
    slots.add(slot, naming.value(), 0, naming.value().length, line);
    return isPresent ? checks.checkCount(slot) : null;
  }

  /** Returns the reason why no entry of the classes has the name that was completed last. */
  @Nullable String form(ImportClassSet classes) {
    return classes.refusal(rdn);
  }
}
