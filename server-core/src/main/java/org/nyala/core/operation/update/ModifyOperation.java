package org.nyala.core.operation.update;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.PasswordClient;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.Profile;
import org.nyala.core.rules.AttributeModifications;
import org.nyala.core.rules.Presented;
import org.nyala.core.rules.RequestedChange;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.update.UpdateContext;

/**
 * A modify (RFC 4511, section 4.6; RFC 4525).
 *
 * <p>Confined to one running operation.
 */
public final class ModifyOperation implements RuledUpdate {
  public static final Set<ControlType> CONTROLS =
      UpdateControls.and(
          ControlType.PRE_READ,
          ControlType.POST_READ,
          ControlType.PASSWORD_POLICY,
          ControlType.PERMISSIVE_MODIFY);

  /** The controls that a change of the schema honours. */
  static final Set<ControlType> SCHEMA_CONTROLS =
      Set.of(
          ControlType.MANAGE_DSA_IT,
          ControlType.ASSERTION,
          ControlType.NO_OP,
          ControlType.PROXIED_AUTHORIZATION,
          ControlType.SESSION_TRACKING);

  private static final int REPLACE = 2;

  private final OperationContext directory;
  private final UpdateControls controls;
  private final Backend backend;
  private final Requester writer;
  private final Dn name;
  private final List<RequestedChange> changes;
  private final UpdateRights.Demand demand;

  private ModifyOperation(
      OperationContext directory,
      UpdateControls controls,
      Backend backend,
      Requester writer,
      Dn name,
      List<RequestedChange> changes,
      UpdateRights.Demand demand) {
    this.demand = demand;
    this.directory = directory;
    this.controls = controls;
    this.backend = backend;
    this.writer = writer;
    this.name = name;
    this.changes = changes;
  }

  static Presented<ModifyOperation> prepare(
      OperationContext directory,
      Request.Modify request,
      Requester requester,
      RequestControls honoured)
      throws LdapOperationException {
    UpdateControls controls =
        UpdateControls.read(
            directory.reading(),
            honoured,
            requester.identity(),
            requester.isRuled(directory),
            requester.roomForAssertion());
    return prepare(directory, request, requester, controls);
  }

  static Presented<ModifyOperation> prepare(
      OperationContext directory,
      Request.Modify request,
      Requester requester,
      UpdateControls controls)
      throws LdapOperationException {
    Dn name = directory.scratch().names.parse(request.name());
    if (directory.virtualEntries().at(name) != null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the server's own entries cannot be modified");
    }
    Backend backend =
        directory.accounts().replacesPassword(request)
            ? directory.updating().writeAccess().passwordBackendOf(name, requester.identity())
            : directory.updating().writeAccess().backendOf(name, requester.identity());
    Presented<List<RequestedChange>> presented =
        directory.updating().rules().present(request.changes(), controls.relaxed());
    return pace -> {
      List<RequestedChange> changes = presented.go(pace);
      return changes == null
          ? null
          : new ModifyOperation(
              directory,
              controls,
              backend,
              requester,
              name,
              changes,
              ModifyDemand.of(directory.schema(), changes, requester, controls));
    };
  }

  /**
   * Returns the change of an entry's password to a stored form; access has been checked, as far as
   * access rules do not decide.
   *
   * @throws LdapOperationException undefinedAttributeType if the schema knows no passwords
   */
  public static ModifyOperation ofPassword(
      OperationContext directory, Backend backend, Requester writer, Dn name, byte[] stored)
      throws LdapOperationException {
    Request.AttributeValues password = new Request.AttributeValues("userPassword", List.of(stored));
    List<RequestedChange> changes =
        directory.updating().rules().ownChanges(List.of(new Request.Change(REPLACE, password)));
    return new ModifyOperation(
        directory,
        UpdateControls.NONE,
        backend,
        writer,
        name,
        changes,
        ModifyDemand.ofPassword(directory.schema()));
  }

  /**
   * Applies changes of the server's own to the values of an entry, which leave {@code
   * modifiersName} and {@code modifyTimestamp} as they are; in the writer's turn.
   *
   * @throws LdapOperationException noSuchObject if another entry has the name; noSuchAttribute if a
   *     value to be deleted is gone
   */
  public static LdapResult applyOfServer(
      OperationContext directory,
      UpdateContext context,
      Dn name,
      long entryId,
      List<Request.Change> changes)
      throws LdapOperationException {
    UpdateTurn turn = new UpdateTurn(directory, context, UpdateControls.NONE, Requester.SERVER);
    long id = turn.find(name, (_, _, _) -> true);
    if (id != entryId) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    StoredEntry stored = StoredEntry.of(turn.transaction(), turn.view(), name);
    AttributeModifications modifications =
        new AttributeModifications(stored.entry(), stored.apart(), false);
    modifications.apply(directory.updating().rules().ownChanges(changes));
    List<AttributeChange> resolved =
        directory
            .updating()
            .operational()
            .sequenced(turn.checked(id, modifications), context.nextCsn());
    turn.apply(new ResolvedChange.Modify(name, id, resolved));
    return LdapResult.SUCCESS;
  }

  /**
   * Returns whether a client manages the passwords of an entry, so that their policy demands
   * nothing of it.
   *
   * @param rights its rights by access rules; null if they do not decide
   * @param profile those to the entry; null if they do not decide
   */
  public static boolean managesPasswords(
      OperationContext directory,
      Requester client,
      Dn name,
      @Nullable UpdateRights rights,
      @Nullable Profile profile) {
    return ModifyDemand.managesPasswords(directory.schema(), client, name, rights, profile);
  }

  /** Returns the rights that the change of a password to a stored form takes by access rules. */
  public static UpdateRights.Demand demandOfPassword(OperationContext directory) {
    return ModifyDemand.ofPassword(directory.schema());
  }

  @Override
  public Dn name() {
    return name;
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public boolean manageDsaIt() {
    return controls.manageDsaIt();
  }

  @Override
  public @Nullable Dn changedPassword() {
    boolean isOfPassword =
        changes.stream().anyMatch(each -> SecretTypes.isPassword(each.description().type()));
    return isOfPassword ? name : null;
  }

  @Override
  public boolean isComposite() {
    return controls.isComposite();
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    UpdateTurn turn = new UpdateTurn(directory, context, controls, writer);
    long id = turn.find(name, demand);
    if (changes.isEmpty()) {
      return turn.applied(id);
    }
    StoredEntry stored = StoredEntry.of(turn.transaction(), turn.view(), name);
    AttributeModifications modifications =
        new AttributeModifications(stored.entry(), stored.apart(), controls.permissive());
    if (!seesPasswords(turn)) {
      modifications.withoutTellingPasswords();
    }
    modifications.apply(changes);
    requireToIncrement(turn, modifications.changes());
    List<AttributeChange> resolved =
        policed(turn, modifications, turn.resolve(id, modifications, writer.dn()));
    turn.apply(new ResolvedChange.Modify(name, id, resolved));
    return turn.applied(id);
  }

  /** Returns whether the client may know the passwords that it changes. */
  private boolean seesPasswords(UpdateTurn turn) throws LdapOperationException {
    if (writer.identity().isRoot() || changedPassword() == null) {
      return true;
    }
    UpdateRights rights = turn.rights();
    return rights != null && ModifyDemand.seesPasswords(directory.schema(), rights, turn.view());
  }

  /** Returns the changes with those that follow from the password policy of the entry. */
  private List<AttributeChange> policed(
      UpdateTurn turn, AttributeModifications modifications, List<AttributeChange> resolved)
      throws LdapOperationException {
    if (!directory.accounts().concern(changes)) {
      return resolved;
    }
    UpdateRights rights = turn.rights();
    Profile profile = rights == null ? null : rights.of(turn.view());
    PasswordClient client =
        new PasswordClient(
            writer.isOwner(name),
            ModifyDemand.managesPasswords(directory.schema(), writer, name, rights, profile),
            writer.checkedBy(),
            writer.provesOld());
    return directory
        .accounts()
        .complete(
            client, turn.transaction(), turn.view(), changes, modifications.entry(), resolved);
  }

  @Override
  public boolean managesPasswords(Requester client, @Nullable UpdateRights rights)
      throws LdapOperationException {
    Profile profile = rights == null ? null : rights.find(name, directory.scratch().view, demand);
    return ModifyDemand.managesPasswords(directory.schema(), client, name, rights, profile);
  }

  @Override
  public @Nullable AttributeTable show(ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    return transaction.read(transaction.find(name), view) ? transaction.attributes() : null;
  }

  @Override
  public void requireRights(UpdateRights rights) throws LdapOperationException {
    Profile _ = rights.find(name, directory.scratch().view, demand);
  }

  /** Requires the right to the numbers that incrementing makes, which are known only now. */
  private void requireToIncrement(UpdateTurn turn, List<AttributeChange> made)
      throws LdapOperationException {
    UpdateRights rights = turn.rights();
    if (rights == null) {
      return;
    }
    for (RequestedChange change : changes) {
      boolean isIncrement = change.kind() == RequestedChange.Kind.INCREMENT;
      if (isIncrement && !ModifyDemand.mayMake(rights, turn.view(), change.description(), made)) {
        throw UpdateRights.insufficient();
      }
    }
  }
}
