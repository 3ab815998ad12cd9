package org.nyala.core.rights;

import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.Schema;

/**
 * The rest of the rules for clients with the same facts, to be kept for them as long as the rules
 * and the groups are the same: see {@link AccessControl#isCurrent}.
 *
 * <p>Implementations are thread-safe, and have the identity of an object.
 */
public interface ClientRules {
  /** The number of these rules, which no others have; positive. */
  long number();

  /** The schema by which the rules were read. */
  Schema schema();

  /**
   * Returns whether these rules were decided by some compiled rules, and hold for the groups of a
   * version. Hot: for rules that were asked of the version before, this costs two comparisons.
   *
   * @param compiled the rules in force, compared by identity
   * @param groupsVersion the version of the groups that the rules name
   */
  boolean areOf(Object compiled, long groupsVersion);

  /**
   * Returns whether these rules give the same rights as others of the same client: the groups in
   * which they differ matter to it nowhere.
   */
  boolean areSameAs(ClientRules others);

  /**
   * Returns the same rules as they are asked in a tree that is closed to wide rules: only those of
   * the file that name a place in it give rights there. Others decide in their turn and give
   * nothing.
   *
   * @param top the name at the top of the tree
   */
  ClientRules inTree(Dn top);

  /** The first limit of the rules for the client; null if there is none. */
  @Nullable Limit limit();

  /**
   * Finds out, before a search, where in its scope the client has rights.
   *
   * @param base the name of the base
   * @param scope the scope
   */
  Reach reach(Dn base, Scope scope);
}
