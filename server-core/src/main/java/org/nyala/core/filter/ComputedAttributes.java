package org.nyala.core.filter;

import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The attributes that no entry stores; a type is null if the schema does not know it. Every entry
 * has them all, except that not every one is governed by a structure rule, dynamic, or at the top
 * of a naming context.
 *
 * <p>Immutable.
 *
 * @param entryDn the entry's own name (RFC 5020)
 * @param hasSubordinates the presence of entries below the entry (X.501)
 * @param numSubordinates the number of entries directly below the entry
 * @param subschemaSubentry the name of the entry that holds the schema (RFC 4512, section 4.2)
 * @param governingStructureRule the number of the structure rule that governs the entry (RFC 4512,
 *     section 3.4.6); null if the schema has no such rules
 * @param entryTtl the remaining seconds of a dynamic entry (RFC 2589, section 5); others have none
 * @param contextCsn the largest change sequence number of each server; only entries at the top of
 *     naming contexts have it
 */
public record ComputedAttributes(
    @Nullable AttributeType entryDn,
    @Nullable AttributeType hasSubordinates,
    @Nullable AttributeType numSubordinates,
    @Nullable AttributeType subschemaSubentry,
    @Nullable AttributeType governingStructureRule,
    @Nullable AttributeType entryTtl,
    @Nullable AttributeType contextCsn) {

  /** The name of the entry that shows the schema. */
  public static final String SUBSCHEMA_DN = "cn=Subschema";

  /** The stored attribute that {@code entryTtl} is computed from: when the entry ends. */
  public static final String EXPIRE_TIMESTAMP_OID = "1.3.6.1.4.1.4203.666.1.57";

  /** The attribute {@code contextCSN}: OpenLDAP's. */
  public static final String CONTEXT_CSN_OID = "1.3.6.1.4.1.4203.666.1.25";

  /** Finds the types in a schema. */
  public static ComputedAttributes of(Schema schema) {
    return new ComputedAttributes(
        schema.attributeType("1.3.6.1.1.20"),
        schema.attributeType("2.5.18.9"),
        schema.attributeType("1.3.6.1.4.1.453.16.2.103"),
        schema.attributeType("2.5.18.10"),
        schema.structureRules().isEmpty() ? null : schema.attributeType("2.5.21.10"),
        schema.attributeType("1.3.6.1.4.1.1466.101.119.3"),
        schema.attributeType(CONTEXT_CSN_OID));
  }

  /** Returns whether values of the type are computed. */
  public boolean contains(AttributeType type) {
    return type.equals(entryDn)
        || type.equals(hasSubordinates)
        || type.equals(numSubordinates)
        || type.equals(subschemaSubentry)
        || type.equals(governingStructureRule)
        || type.equals(entryTtl)
        || type.equals(contextCsn);
  }
}
