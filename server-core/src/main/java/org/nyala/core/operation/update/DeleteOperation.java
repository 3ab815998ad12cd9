package org.nyala.core.operation.update;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.session.PreparedUpdate;
import org.nyala.core.update.UpdateContext;

/**
 * A delete (RFC 4511, section 4.8), of an entry or of everything below it as well
 * (draft-armijo-ldap-treedelete).
 *
 * <p>Confined to one running operation.
 */
public final class DeleteOperation implements PreparedUpdate {
  public static final Set<ControlType> CONTROLS =
      UpdateControls.and(ControlType.PRE_READ, ControlType.TREE_DELETE);

  private record Doomed(long id, Dn name) {}

  private final OperationContext directory;
  private final UpdateControls controls;
  private final Backend backend;
  private final Requester writer;
  private final Dn name;

  private DeleteOperation(
      OperationContext directory,
      UpdateControls controls,
      Backend backend,
      Requester writer,
      Dn name) {
    this.writer = writer;
    this.directory = directory;
    this.controls = controls;
    this.backend = backend;
    this.name = name;
  }

  static DeleteOperation prepare(
      OperationContext directory,
      Request.Delete request,
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
    Dn name = directory.scratch().names.parse(request.name());
    if (directory.virtualEntries().at(name) != null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the server's own entries cannot be deleted");
    }
    Backend backend = directory.updating().writeAccess().backendOf(name, requester.identity());
    return new DeleteOperation(directory, controls, backend, requester, name);
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
    long id =
        turn.find(
            name,
            (rights, profile, entry) ->
                profile.allowsEntry(Right.REMOVE)
                    && rights.hasOnSiblings(name, Right.REMOVE)
                    && rights.mayTakeRules(profile, entry));
    if (controls.treeDelete()) {
      turn.deletesTree(name);
      deleteTree(turn, id);
    } else {
      if (turn.transaction().hasSubordinates(id)) {
        throw new LdapOperationException(
            ResultCode.NOT_ALLOWED_ON_NON_LEAF, "the entry has entries below it");
      }
      turn.delete(name, id);
    }
    return turn.result();
  }

  /* Depth first, always the first entry that is left: memory grows with the depth of the tree. */
  private void deleteTree(UpdateTurn turn, long top) throws LdapOperationException {
    int maximum = directory.limits().updates().treeDeleteEntries();
    Deque<Doomed> path = new ArrayDeque<>();
    path.push(new Doomed(top, name));
    int deleted = 0;
    while (!path.isEmpty()) {
      Doomed last = path.element();
      if (findBelow(turn, last.id())) {
        path.push(new Doomed(turn.view().id(), turn.nameBelow(last.name())));
        continue;
      }
      path.pop();
      if (deleted == maximum) {
        throw new LdapOperationException(
            ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + maximum + " entries to delete");
      }
      requireRights(turn, last);
      turn.delete(last.name(), last.id());
      deleted++;
    }
  }

  /** Requires the rights to delete an entry of the tree, as if it were deleted alone. */
  private static void requireRights(UpdateTurn turn, Doomed doomed) throws LdapOperationException {
    UpdateRights rights = turn.rights();
    if (rights == null || !turn.show(doomed.id())) {
      return;
    }
    Profile profile = rights.afterChange(turn.view());
    boolean isAllowed =
        profile.allowsEntry(Right.REMOVE)
            && rights.mayTakeRules(profile, turn.view())
            && rights.hasOnSiblings(doomed.name(), Right.REMOVE);
    if (!isAllowed) {
      throw UpdateRights.insufficient();
    }
  }

  /** Moves the turn's view to an entry below another one; false if there is none. */
  private static boolean findBelow(UpdateTurn turn, long parentId) {
    WriteTransaction transaction = turn.transaction();
    if (!transaction.hasSubordinates(parentId)) {
      return false;
    }
    SearchSpec children =
        new SearchSpec(parentId, Scope.ONE_LEVEL, CompiledFilter.Constant.TRUE, false, false);
    try (EntryCursor cursor = transaction.search(children, ReadTransaction.NO_ENTRY)) {
      EntryCursor.Step step;
      do {
        step = cursor.next(turn.view(), Integer.MAX_VALUE);
      } while (step == EntryCursor.Step.LIMIT);
      return step == EntryCursor.Step.ENTRY;
    }
  }
}
