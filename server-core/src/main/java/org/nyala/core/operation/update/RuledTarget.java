package org.nyala.core.operation.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.PasswordTarget;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;

/**
 * An update with passwords, and the rights of its client before its turn.
 *
 * <p>Confined to one running operation.
 */
final class RuledTarget implements PasswordTarget {
  private final OperationContext directory;
  private final RuledUpdate update;
  private final Requester requester;
  private @Nullable ReadTransaction state;
  private @Nullable UpdateRights rights;

  RuledTarget(OperationContext directory, RuledUpdate update, Requester requester) {
    this.directory = directory;
    this.update = update;
    this.requester = requester;
  }

  @Override
  public Backend backend() {
    return update.backend();
  }

  @Override
  public Dn name() {
    return update.name();
  }

  @Override
  public boolean isOwn() {
    return requester.isOwner(update.name());
  }

  @Override
  public boolean begin(ReadTransaction transaction) {
    state = transaction;
    rights = requester.before(directory, transaction, update.manageDsaIt());
    return rights != null;
  }

  @Override
  public void requireRights() throws LdapOperationException {
    UpdateRights known = rights;
    if (known != null) {
      update.requireRights(known);
    }
  }

  @Override
  public boolean managesPasswords() throws LdapOperationException {
    return update.managesPasswords(requester, rights);
  }

  @Override
  public @Nullable AttributeTable show(EntryView view) throws LdapOperationException {
    ReadTransaction begun = state;
    if (begun == null) {
      throw new IllegalStateException("nothing is read");
    }
    return update.show(begun, view);
  }
}
