package org.nyala.core.directory;

import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;

/**
 * The visibility of attributes to clients: hides those that no client may see, and the stored
 * values of computed ones.
 *
 * <p>Immutable.
 *
 * @param providers the table of the attributes
 */
record AttributeVisibility(AttributeProviders providers) implements AttributeSelection.Visibility {
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
    return providers.of(type).isStoredShown();
  }
}
