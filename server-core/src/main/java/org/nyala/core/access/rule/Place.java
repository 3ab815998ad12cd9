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
}
