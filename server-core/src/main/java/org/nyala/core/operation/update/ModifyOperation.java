package org.nyala.core.operation.update;

import java.util.List;
import java.util.Set;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rules.AttributeModifications;
import org.nyala.core.rules.RequestedChange;
import org.nyala.core.session.PreparedUpdate;
import org.nyala.core.update.UpdateContext;

/**
 * A modify (RFC 4511, section 4.6; RFC 4525).
 *
 * <p>Confined to one running operation.
 */
public final class ModifyOperation implements PreparedUpdate {
  public static final Set<ControlType> CONTROLS =
      UpdateControls.and(
          ControlType.PRE_READ, ControlType.POST_READ, ControlType.PERMISSIVE_MODIFY);

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
  private final BoundIdentity writer;
  private final Dn name;
  private final List<RequestedChange> changes;

  private ModifyOperation(
      OperationContext directory,
      UpdateControls controls,
      Backend backend,
      BoundIdentity writer,
      Dn name,
      List<RequestedChange> changes) {
    this.directory = directory;
    this.controls = controls;
    this.backend = backend;
    this.writer = writer;
    this.name = name;
    this.changes = changes;
  }

  static ModifyOperation prepare(
      OperationContext directory,
      Request.Modify request,
      BoundIdentity identity,
      RequestControls honoured)
      throws LdapOperationException {
    return prepare(
        directory, request, identity, UpdateControls.read(directory.reading(), honoured, identity));
  }

  static ModifyOperation prepare(
      OperationContext directory,
      Request.Modify request,
      BoundIdentity identity,
      UpdateControls controls)
      throws LdapOperationException {
    Dn name = directory.scratch().names.parse(request.name());
    if (directory.virtualEntries().at(name) != null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the server's own entries cannot be modified");
    }
    Backend backend =
        OwnPassword.isReplacedBy(request)
            ? directory.updating().writeAccess().passwordBackendOf(name, identity)
            : directory.updating().writeAccess().backendOf(name, identity);
    List<RequestedChange> changes =
        directory.updating().rules().present(request.changes(), controls.relaxed());
    return new ModifyOperation(directory, controls, backend, identity, name, changes);
  }

  /**
   * Returns the change of an entry's password to a stored form; access has been checked.
   *
   * @throws LdapOperationException undefinedAttributeType if the schema knows no passwords
   */
  public static ModifyOperation ofPassword(
      OperationContext directory, Backend backend, BoundIdentity writer, Dn name, byte[] stored)
      throws LdapOperationException {
    Request.AttributeValues password = new Request.AttributeValues("userPassword", List.of(stored));
    List<RequestedChange> changes =
        directory.updating().rules().present(List.of(new Request.Change(REPLACE, password)), false);
    return new ModifyOperation(directory, UpdateControls.NONE, backend, writer, name, changes);
  }

  /** The entry that is to be changed. */
  Dn name() {
    return name;
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public boolean isComposite() {
    return controls.isComposite();
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    UpdateTurn turn = new UpdateTurn(directory, context, controls, writer);
    long id = turn.find(name);
    if (changes.isEmpty()) {
      return turn.applied(id);
    }
    StoredEntry stored = StoredEntry.of(turn.transaction(), turn.view(), name);
    AttributeModifications modifications =
        new AttributeModifications(stored.entry(), stored.apart(), controls.permissive());
    modifications.apply(changes);
    List<AttributeChange> resolved = turn.resolve(id, modifications, writer.dn());
    turn.apply(new ResolvedChange.Modify(name, id, resolved));
    return turn.applied(id);
  }
}
