package org.nyala.core.rules;

import static org.nyala.core.rules.UpdateErrors.refusal;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryVerdicts;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.DitStructureRule;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/**
 * The rules for the attributes in an entry's name, and for its place (RFC 4512, sections 2.3.2 and
 * 4.1.7).
 *
 * <p>Immutable.
 */
final class NamingRules {
  private final Schema schema;
  private final Predicate<AttributeType> nameable;

  NamingRules(Schema schema, Predicate<AttributeType> nameable) {
    this.schema = schema;
    this.nameable = nameable;
  }

  /** The values of the entry's own RDN; none for the empty name. */
  List<NamingValue> values(Dn name) throws LdapOperationException {
    if (name.rdnCount() == 0) {
      return List.of();
    }
    try {
      return DnParser.namingValues(schema, name.rdn(0));
    } catch (InvalidDnException e) {
      throw refusal(ResultCode.INVALID_DN_SYNTAX, String.valueOf(e.getMessage()));
    }
  }

  /** Checks whether entries may be named by the attributes of the RDN. */
  void checkTypes(List<NamingValue> rdn, boolean relaxed) throws LdapOperationException {
    for (NamingValue naming : rdn) {
      String reason = EntryVerdicts.naming(naming.type(), relaxed);
      if (reason != null) {
        throw refusal(ResultCode.NAMING_VIOLATION, reason);
      }
      if (!relaxed && !nameable.test(naming.type())) {
        throw refusal(
            ResultCode.NAMING_VIOLATION, naming.type() + " cannot be part of a name here");
      }
    }
  }

  /** Adds those values of the RDN that the entry lacks. */
  void complete(Entry entry, List<NamingValue> rdn) throws LdapOperationException {
    for (NamingValue naming : rdn) {
      AttributeDescription description = AttributeDescription.of(naming.type());
      List<byte[]> values = entry.values(description);
      if (values != null && ValueSet.of(naming.type(), values).contains(naming.value())) {
        continue;
      }
      if (values != null && naming.type().flags().singleValue()) {
        throw refusal(
            ResultCode.NAMING_VIOLATION,
            EntryVerdicts.namingConflict(naming.type(), naming.value()));
      }
      entry.add(description, naming.value());
    }
  }

  /** The structure rule that governs an entry, or null if none applies to its class. */
  @Nullable DitStructureRule governingRule(
      ObjectClass structural, List<NamingValue> rdn, @Nullable DitStructureRule parentRule)
      throws LdapOperationException {
    List<DitStructureRule> rules = schema.structureRules(structural);
    if (rules.isEmpty()) {
      return null;
    }
    Set<AttributeType> types = new HashSet<>();
    rdn.forEach(naming -> types.add(naming.type()));
    DitStructureRule rule = schema.governingRule(structural, types, parentRule);
    if (rule == null) {
      String place = parentRule == null ? "here" : "below one of rule " + parentRule;
      throw refusal(
          ResultCode.NAMING_VIOLATION, EntryVerdicts.misplaced(rules, structural, types, place));
    }
    return rule;
  }
}
