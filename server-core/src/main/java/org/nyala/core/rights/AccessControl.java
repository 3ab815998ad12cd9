package org.nyala.core.rights;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.update.UpdateContext;

/**
 * The access rules in force under one schema, and what they come to for the clients that were here
 * last. Operations ask it; a directory without rules has none.
 *
 * <p>Implementations are thread-safe. Hot: for the client of the operation before on the same
 * connection, rules cost some comparisons.
 */
public interface AccessControl {
  /**
   * Watches what these rules depend on, which come into force. Those in force until then are
   * watched, too, until they are {@linkplain #retire retired}.
   */
  void takeOver();

  /** Watches nothing more: other rules are in force. */
  void retire();

  /** Returns the subtrees whose rules the directory holds and cannot be read, with the reasons. */
  Map<Dn, ? extends Exception> closed();

  /** Returns the check of changes of the rules that the directory holds. */
  ChangeRule check();

  /**
   * Returns the rules for a client, if they are known.
   *
   * @param last the rules that were decided for it last; null if none were
   * @return {@code last} if they still hold; null if the rules have to be {@linkplain #lookUp
   *     looked up}
   */
  @Nullable ClientRules known(ClientFacts client, @Nullable ClientRules last);

  /** Returns whether the rules for a client are the current ones. */
  boolean isCurrent(ClientRules known);

  /** Begins to look up what the rules for a client depend on. */
  MembershipLookup lookUp(ClientFacts client);

  /**
   * Begins with the first entry that an operation asks about.
   *
   * @param rules the rules for its client, which were decided by these
   */
  EntryRights rightsBy(ClientRules rules);

  /**
   * Finds the rights of a client in the turn of an update: those of the state that it finds, with
   * the groups as updates before it in the same commit have left them.
   *
   * @param client the facts about the client
   * @param decided the rules that were decided for it before; null if none were
   * @throws LdapOperationException busy or adminLimitExceeded if its groups cannot be found
   */
  EntryRights inTurn(ClientFacts client, @Nullable ClientRules decided, UpdateContext context)
      throws LdapOperationException;
}
