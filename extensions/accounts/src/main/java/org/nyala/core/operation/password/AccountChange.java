package org.nyala.core.operation.password;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.update.UpdateContext;

/**
 * A change of the server's own to the state of an account, which leaves {@code modifiersName} and
 * {@code modifyTimestamp} as they are.
 *
 * <p>Confined to the writer's thread, for one turn of one update.
 */
final class AccountChange {
  private final OperationContext directory;
  private final UpdateContext context;
  private final AttemptGate.Key account;
  private final Dn name;
  private final PolicyReader.Standing standing;
  private final List<AttributeChange> changes = new ArrayList<>(2);

  private AccountChange(
      OperationContext directory,
      UpdateContext context,
      AttemptGate.Key account,
      Dn name,
      PolicyReader.Standing standing) {
    this.directory = directory;
    this.context = context;
    this.account = account;
    this.name = name;
    this.standing = standing;
  }

  /**
   * Begins with the account as it is; null if it is gone.
   *
   * @throws LdapOperationException unwillingToPerform if another server changes the entry
   */
  static @Nullable AccountChange begin(
      OperationContext directory, UpdateContext context, AttemptGate.Key account)
      throws LdapOperationException {
    WriteTransaction state = context.transaction();
    EntryView view = new EntryView();
    if (!state.read(account.entryId(), view)) {
      return null;
    }
    // Before the policy is read, to which the view does not stay open.
    Dn name = DnParser.parseStored(directory.schema(), view.dn());
    if (directory.updating().consumed().holds(name)) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "another server keeps the state of the account");
    }
    return new AccountChange(
        directory, context, account, name, PolicyReader.of(directory).read(view, state));
  }

  PolicyReader.Standing standing() {
    return standing;
  }

  Dn name() {
    return name;
  }

  /** Gives an attribute other values; nothing if the schema does not know it. */
  void replace(String name, List<byte[]> values) {
    AttributeType type = directory.schema().attributeType(name);
    if (type != null) {
      changes.add(new AttributeChange.Replaced(AttributeDescription.of(type), values));
    }
  }

  /** Applies the changes, if there are any. */
  void apply() throws LdapOperationException {
    if (!changes.isEmpty()) {
      context.apply(
          new ResolvedChange.Modify(
              name,
              account.entryId(),
              directory.updating().operational().sequenced(changes, context.nextCsn())),
          ChangeCause.SERVER);
    }
  }
}
