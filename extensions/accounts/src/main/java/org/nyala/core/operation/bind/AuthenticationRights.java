package org.nyala.core.operation.bind;

import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.ClientRules;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;
import org.nyala.core.session.Operation;

/**
 * The right of a client to prove passwords, by access rules that see it as it is during its bind:
 * without a name.
 *
 * <p>Confined to one running operation.
 */
final class AuthenticationRights {
  private final OperationContext directory;
  private final EntryRights rights;

  AuthenticationRights(OperationContext directory, AccessControl control, Operation bind) {
    ClientRules decided = bind.rules();
    if (decided == null) {
      throw new IllegalStateException("no rules were decided for a bind");
    }
    this.directory = directory;
    this.rights = control.rightsBy(decided);
  }

  /**
   * Returns whether the client may prove a password of an entry: {@code authenticate} is needed on
   * {@code userPassword}, and on every attribute of the entry that descends from it.
   */
  boolean include(Backend backend, ReadTransaction transaction, EntryView entry)
      throws LdapOperationException {
    AttributeSelector password = directory.reading().selectors().userPassword();
    if (password == null) {
      return false;
    }
    StoredEntryFacts facts = directory.probe(transaction);
    rights.beginSlice(backend, transaction);
    Profile profile = rights.atOnce(entry, transaction.attributes(), facts);
    facts.requireComplete();
    if (!isGranted(profile, password.description())) {
      return false;
    }
    for (int i = 0; i < entry.attributeCount(); i++) {
      int id = entry.attributeId(i);
      if (password.selects(transaction.attributes(), id)
          && !isGranted(profile, transaction.attributes().description(id))) {
        return false;
      }
    }
    return true;
  }

  /** Rules for values have no say: those that are stored are hashes. */
  private static boolean isGranted(Profile profile, AttributeDescription password) {
    return Rights.has(profile.rights(password), Right.AUTHENTICATE);
  }
}
