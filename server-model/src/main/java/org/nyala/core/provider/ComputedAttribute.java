package org.nyala.core.provider;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.provider.AttributeProviders.Use;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * An attribute whose values no store holds for those who ask, with all that may be done with it.
 * Only the classes that compute or compile it name one; others ask {@link AttributeProviders}.
 */
public enum ComputedAttribute {
  /** The entry's own name (RFC 5020). */
  ENTRY_DN("entryDN", "1.3.6.1.1.20", false, Use.LIKE_OTHERS),
  /** The name of the entry that holds the schema (RFC 4512, section 4.2). */
  SUBSCHEMA_SUBENTRY("subschemaSubentry", "2.5.18.10", false, Use.LIKE_OTHERS),
  /** The presence of entries below the entry (X.501). */
  HAS_SUBORDINATES("hasSubordinates", "2.5.18.9", false, Use.LIKE_OTHERS),
  /** The number of entries directly below the entry. */
  NUM_SUBORDINATES("numSubordinates", "1.3.6.1.4.1.453.16.2.103", false, Use.LIKE_OTHERS),
  /** The remaining seconds of a dynamic entry (RFC 2589, section 5); only presence is tested. */
  ENTRY_TTL(
      "entryTtl",
      "1.3.6.1.4.1.1466.101.119.3",
      true,
      EnumSet.of(Use.SHOWN_BY_PLUS, Use.FILTERED_BY_PRESENCE, Use.ASSERTED)),
  /** The number of the structure rule that governs the entry (RFC 4512, section 3.4.6). */
  GOVERNING_STRUCTURE_RULE("governingStructureRule", "2.5.21.10", false, Use.LIKE_OTHERS),
  /** The largest change sequence number of each server, at the top of naming contexts. */
  CONTEXT_CSN("contextCSN", "1.3.6.1.4.1.4203.666.1.25", true, Use.LIKE_OTHERS),
  /**
   * The password policy of entries that do not name one, beside the stored names of others, by
   * which filters find them.
   */
  PASSWORD_POLICY(
      "pwdPolicySubentry",
      "1.3.6.1.4.1.42.2.27.8.1.23",
      false,
      EnumSet.complementOf(EnumSet.of(Use.SHOWN_BY_STAR, Use.SORTED))),
  /** The groups that name the entry, each a value for those alone who may read the group. */
  MEMBER_OF("memberOf", "1.2.840.113556.1.2.102", true, Use.LIKE_OTHERS);

  private final String label;
  private final String oid;
  private final boolean isHiddenWhereStored;

  // Never changed.
  @SuppressWarnings("ImmutableEnumChecker")
  private final Set<Use> uses;

  ComputedAttribute(String label, String oid, boolean isHiddenWhereStored, Set<Use> uses) {
    this.label = label;
    this.oid = oid;
    this.isHiddenWhereStored = isHiddenWhereStored;
    this.uses = uses;
  }

  /** Returns its usual name. */
  public String label() {
    return label;
  }

  /** Returns its object identifier. */
  public String oid() {
    return oid;
  }

  /** Returns the type in a schema; null if it does not have it. */
  public @Nullable AttributeType in(Schema schema) {
    return schema.attributeType(oid);
  }

  public boolean is(AttributeType type) {
    return type.oid().equals(oid);
  }

  /** Returns whether data from other servers may hold values, which are not shown. */
  boolean isHiddenWhereStored() {
    return isHiddenWhereStored;
  }

  /** Returns what clients may do with it. */
  Set<Use> uses() {
    return uses;
  }

  /** Returns whether stored values of some entries are completed by computed ones of others. */
  boolean isCompleted() {
    return this == PASSWORD_POLICY;
  }

  /** Returns whether every server computes it, so that none takes it over from another. */
  boolean isOfEveryServer() {
    return switch (this) {
      case ENTRY_DN, SUBSCHEMA_SUBENTRY, HAS_SUBORDINATES, NUM_SUBORDINATES, CONTEXT_CSN -> true;
      case ENTRY_TTL, GOVERNING_STRUCTURE_RULE, PASSWORD_POLICY, MEMBER_OF -> false;
    };
  }

  /** Returns whether its values follow from the entry and its place, so that none is written. */
  boolean isDerived() {
    return switch (this) {
      case ENTRY_DN,
          SUBSCHEMA_SUBENTRY,
          HAS_SUBORDINATES,
          NUM_SUBORDINATES,
          ENTRY_TTL,
          GOVERNING_STRUCTURE_RULE ->
          true;
      case CONTEXT_CSN, PASSWORD_POLICY, MEMBER_OF -> false;
    };
  }

  /**
   * Returns whether values tell of the entries directly below, so that they take a right to these.
   */
  boolean tellsOfChildren() {
    return this == HAS_SUBORDINATES || this == NUM_SUBORDINATES;
  }

  /** Returns whether values tell of other entries, so that rights to these decide about them. */
  public boolean tellsOfOthers() {
    return this == MEMBER_OF;
  }
}
