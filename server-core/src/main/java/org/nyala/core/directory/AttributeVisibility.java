package org.nyala.core.directory;

import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.ComputedAttributes;
import org.nyala.core.filter.Membership;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The visibility of attributes to clients: hides those that no client may see, and the stored
 * values of computed ones.
 *
 * <p>Immutable.
 *
 * @param membership the rules by which {@code memberOf} is computed; null if it is stored
 * @param entryTtl the time that an entry has left to live; null if the schema does not have it
 */
record AttributeVisibility(
    @Nullable Membership membership,
    @Nullable AttributeType entryTtl,
    @Nullable AttributeType contextCsn)
    implements AttributeSelection.Visibility {
  private static final String ENTRY_TTL_OID = "1.3.6.1.4.1.1466.101.119.3";

  /** The attributes that a directory shows. */
  static AttributeVisibility of(Schema schema, @Nullable Membership membership) {
    return new AttributeVisibility(
        membership,
        schema.attributeType(ENTRY_TTL_OID),
        schema.attributeType(ComputedAttributes.CONTEXT_CSN_OID));
  }

  /**
   * Returns the same visibility, plus the attributes hidden from all clients but root on the
   * machine itself.
   */
  AttributeSelection.Visibility withHidden() {
    return new WithHidden(this);
  }

  private record WithHidden(AttributeVisibility shown) implements AttributeSelection.Visibility {
    @Override
    public boolean isVisible(AttributeType type) {
      return true;
    }

    @Override
    public boolean isStored(AttributeType type) {
      return shown.isStored(type);
    }
  }

  @Override
  public boolean isVisible(AttributeType type) {
    return !type.isSecret();
  }

  @Override
  public boolean isStored(AttributeType type) {
    return (membership == null || !membership.computes(type))
        && !type.equals(entryTtl)
        && !type.equals(contextCsn);
  }
}
