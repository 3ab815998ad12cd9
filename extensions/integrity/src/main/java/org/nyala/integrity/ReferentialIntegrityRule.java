package org.nyala.integrity;

import java.util.Arrays;
import java.util.List;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * Keeps names that are attribute values in step with the entries that they name: when an entry is
 * renamed or moved, with everything below it, the values follow; when it is deleted, they go. All
 * in the commit of the change itself.
 *
 * <p>A value by which the referring entry is itself named stays as it is. A {@link LastReference}
 * decides on a delete that would leave an attribute without values which its entry must have. Added
 * values are not checked: they may name entries that do not exist.
 *
 * <p>Immutable.
 */
public final class ReferentialIntegrityRule implements ChangeRule {
  private final Schema schema;
  private final List<AttributeSelector> attributes;
  private final LastReference last;
  private final int maximumReferences;
  private final boolean followsMissing;

  /**
   * Creates the rule.
   *
   * @param attributes the attributes whose values are names; each should have an equality index
   * @param last the fate of the last value of an attribute
   * @param maximumReferences the maximum number of values that one change may rewrite, at least 1:
   *     they are kept in memory until the commit
   * @param followsMissing true if values that name no entry, but one that would stand below a
   *     renamed entry with others below it, follow as well: all values of the attributes are looked
   *     at then
   */
  public ReferentialIntegrityRule(
      Schema schema,
      List<AttributeType> attributes,
      LastReference last,
      int maximumReferences,
      boolean followsMissing) {
    this.schema = schema;
    this.attributes =
        attributes.stream()
            .map(type -> new AttributeSelector(AttributeDescription.of(type)))
            .toList();
    this.last = last;
    this.maximumReferences = maximumReferences;
    this.followsMissing = followsMissing;
  }

  @Override
  public void check(
      ReadTransaction transaction,
      ResolvedChange change,
      ChangeCause cause,
      List<ResolvedChange.Modify> derived,
      Pace pace)
      throws LdapOperationException {
    switch (change) {
      case ResolvedChange.Delete delete ->
          repair(transaction, cause, pace).delete(delete, last, derived);
      case ResolvedChange.Rename rename -> {
        // Names that differ in case alone are the same, and are written anew all the same.
        if (!Arrays.equals(rename.dn().raw(), rename.newDn().raw())) {
          repair(transaction, cause, pace).rename(rename, followsMissing, derived);
        }
      }
      case ResolvedChange.Add _, ResolvedChange.Modify _ -> {}
    }
  }

  private ReferenceRepair repair(ReadTransaction transaction, ChangeCause cause, Pace pace) {
    return new ReferenceRepair(transaction, schema, attributes, cause, maximumReferences, pace);
  }
}
