package org.nyala.core.access.decide;

import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.provider.AttributeProviders;

/**
 * The thing about an entry that is asked for: the entry itself, its children, or an attribute.
 *
 * <p>Immutable.
 */
@FunctionalInterface
interface Subject {
  /** All that the rules at hand cover, which are those about what is asked for already. */
  Subject KNOWN = _ -> true;

  /** Returns whether it is among the attributes of a target. */
  boolean isIn(AttributeCover cover);

  /**
   * Returns whether it is a secret: a rule lets somebody find out about it only if it names it, and
   * the connection is safe.
   */
  default boolean isSecret() {
    return false;
  }

  /** Returns whether it tells about the entries directly below, too. */
  default boolean isAboutChildren() {
    return false;
  }

  /** Returns whether it is named among the attributes of a target. */
  default boolean isNamedIn(AttributeCover cover) {
    return isIn(cover);
  }

  static Subject of(Pseudo pseudo) {
    return cover -> cover.covers(pseudo);
  }

  static Subject of(AttributeDescription description) {
    return new OfAttribute(description);
  }

  record OfAttribute(AttributeDescription description) implements Subject {
    @Override
    public boolean isIn(AttributeCover cover) {
      return cover.covers(description);
    }

    @Override
    public boolean isAboutChildren() {
      return AttributeProviders.tellsOfChildren(description.type());
    }

    @Override
    public boolean isSecret() {
      return description.type().isSecret();
    }

    @Override
    public boolean isNamedIn(AttributeCover cover) {
      return cover.names(description);
    }
  }
}
