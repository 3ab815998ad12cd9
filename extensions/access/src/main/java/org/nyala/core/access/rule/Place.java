package org.nyala.core.access.rule;

import org.nyala.core.dn.Dn;

/**
 * A part of the tree: a name, possibly with captures, and the entries that it selects.
 *
 * <p>Immutable.
 *
 * @param scope which entries, seen from the name
 * @param name the name
 */
public record Place(Scope scope, DnPattern name) {
  /** The whole tree, with the root DSE and the entries that no store holds. */
  public static final Place EVERYWHERE = new Place(Scope.SUBTREE, DnPattern.of(Dn.EMPTY));

  /**
   * Returns whether the name says, without captures, that all its entries are at or below another
   * name.
   */
  public boolean isWithin(Dn top) {
    int levels = name.dn().rdnCount() - top.rdnCount();
    for (int i = 0; i < top.rdnCount() && levels >= 0; i++) {
      if (!name.isFixedAt(levels + i)) {
        return false;
      }
    }
    return name.dn().isWithin(top);
  }
}
