package org.nyala.core.operation.update;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.rules.Presented;
import org.nyala.core.session.OpenTransactions;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.PreparedUpdate;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * An add, delete, modify or modify DN: prepares the update, hands it to the writer, and ends when
 * that has it on disk.
 *
 * <p>Confined to one running operation.
 */
public final class UpdateOperation implements OperationBody {
  private final OperationContext directory;
  private OpenTransactions.@Nullable Place place;
  private @Nullable PasswordStage passwords;
  private @Nullable Presented<CurrentUpdate> preparing;
  private @Nullable AssertionRoom assertions;
  private boolean isRepeated;

  public UpdateOperation(OperationContext directory) {
    this.directory = directory;
  }

  @Override
  public void arrived(Operation operation) {
    place = TransactionMember.arrive(operation);
  }

  @Override
  public void ended() {
    OpenTransactions.Place taken = place;
    if (taken != null) {
      taken.leave();
    }
    PasswordStage stage = passwords;
    if (stage != null) {
      stage.close();
    }
    AssertionRoom room = assertions;
    if (room != null) {
      room.close();
    }
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    try {
      return prepare(operation, budget);
    } catch (LdapOperationException e) {
      throw directory.accounts().told(e, operation);
    }
  }

  private Outcome prepare(Operation operation, SliceBudget budget) throws LdapOperationException {
    byte[] transactionId = TransactionMember.transactionId(operation.request().controls());
    Presented<CurrentUpdate> going = preparing;
    if (going == null) {
      Outcome outcome = begin(operation, budget, transactionId != null);
      if (outcome != null) {
        return outcome;
      }
      going = requireNonNull(preparing);
    }
    CurrentUpdate update = going.go(pace(operation, budget));
    if (update == null) {
      return Outcome.YIELDED;
    }
    if (transactionId != null) {
      AssertionRoom room = assertions;
      long kept = room == null ? 0 : room.taken();
      TransactionMember.enlist(directory, operation, transactionId, place, update, kept);
      operation.sink().result(update.request(), LdapResult.SUCCESS);
      return Outcome.DONE;
    }
    operation.handsOver();
    directory.runtime().writers().submit(update.backend(), new Queued(this, operation, update));
    return Outcome.PARKED;
  }

  private SlicePace pace(Operation operation, SliceBudget budget) {
    return new SlicePace(directory.nanoClock()).begin(operation, budget);
  }

  /** Begins to prepare the request, once its passwords are hashed; else the slice's outcome. */
  private @Nullable Outcome begin(Operation operation, SliceBudget budget, boolean isInTransaction)
      throws LdapOperationException {
    Request request = operation.request();
    PasswordStage stage = passwords;
    if (stage == null) {
      BoundIdentity identity = isInTransaction ? ofTransaction(operation) : operation.identity();
      Requester requester = requester(operation, identity);
      stage = PasswordStage.of(directory, operation, requester, isInTransaction ? place : null);
      if (stage == null) {
        preparing = prepare(directory, request, requester, operation.controls());
        return null;
      }
      passwords = stage;
    }
    Outcome outcome = stage.run(operation, budget);
    if (outcome == null) {
      preparing =
          prepare(directory, stage.request(request), stage.requester(), operation.controls());
    }
    return outcome;
  }

  /** Returns the identity of the transaction, with the rights that it has to these entries. */
  private BoundIdentity ofTransaction(Operation operation) throws LdapOperationException {
    BoundIdentity identity = operation.session().transactions().identity(place);
    return directory.roots().acting(directory, identity, operation.request());
  }

  /**
   * Returns the client as the writer will know it.
   *
   * @throws LdapOperationException unwillingToPerform for an empty password
   */
  private Requester requester(Operation operation, BoundIdentity identity)
      throws LdapOperationException {
    Requester requester = Requester.of(operation, identity);
    if (operation.controls().has(ControlType.ASSERTION)) {
      if (assertions == null) {
        assertions = new AssertionRoom(operation.session().memory());
      }
      requester = requester.charging(assertions);
    }
    return requester.isRuled(directory)
        ? requester.sending(directory.accounts().hashedBefore(operation.request()))
        : requester;
  }

  /**
   * Begins to check a request to change the directory as far as that goes without a store.
   *
   * @throws LdapOperationException to refuse it
   */
  private static Presented<CurrentUpdate> prepare(
      OperationContext directory, Request request, Requester requester, RequestControls honoured)
      throws LdapOperationException {
    Presented<? extends PreparedUpdate> presented =
        prepareBy(directory, request, requester, honoured);
    return pace -> {
      PreparedUpdate prepared = presented.go(pace);
      return prepared == null
          ? null
          : new CurrentUpdate(directory, request, requester, honoured, prepared);
    };
  }

  /** Prepares by one schema, even if it is replaced meanwhile. */
  static Presented<? extends PreparedUpdate> prepareBy(
      OperationContext directory, Request request, Requester requester, RequestControls honoured)
      throws LdapOperationException {
    return switch (request) {
      case Request.Add add when SlapdSchemaChanges.isPart(directory, add.name()) ->
          ofSlapd(directory, before -> SlapdSchemaChanges.of(add, before), requester, honoured);
      case Request.Add add -> AddOperation.prepare(directory, add, requester, honoured);
      case Request.Delete delete ->
          atOnce(DeleteOperation.prepare(directory, delete, requester, honoured));
      case Request.Modify modify -> prepareModify(directory, modify, requester, honoured);
      case Request.ModifyDn modifyDn ->
          atOnce(ModifyDnOperation.prepare(directory, modifyDn, requester, honoured));
      case Request.Bind _,
          Request.Unbind _,
          Request.Search _,
          Request.Compare _,
          Request.Abandon _,
          Request.Extended _ ->
          throw new IllegalArgumentException("no update: " + request.getClass().getSimpleName());
    };
  }

  private static Presented<PreparedUpdate> atOnce(PreparedUpdate update) {
    return _ -> update;
  }

  private static Presented<? extends PreparedUpdate> prepareModify(
      OperationContext directory,
      Request.Modify modify,
      Requester requester,
      RequestControls honoured)
      throws LdapOperationException {
    if (SlapdSchemaChanges.isPart(directory, modify.name())) {
      return ofSlapd(
          directory, before -> SlapdSchemaChanges.of(modify, before), requester, honoured);
    }
    Dn name = directory.scratch().names.parse(modify.name());
    return directory.virtualEntries().isSubschema(name)
        ? atOnce(
            SchemaOperation.prepare(directory, _ -> modify.changes(), name, requester, honoured))
        : ModifyOperation.prepare(directory, modify, requester, honoured);
  }

  /** Prepares what slapd's clients ask of its schema, which is that of the subschema subentry. */
  private static Presented<PreparedUpdate> ofSlapd(
      OperationContext directory,
      SchemaOperation.Changes changes,
      Requester requester,
      RequestControls honoured)
      throws LdapOperationException {
    Dn name = directory.virtualEntries().subschema();
    return atOnce(SchemaOperation.prepare(directory, changes, name, requester, honoured));
  }

  /**
   * Begins again, once, if the present password that the client has proved was stored anew
   * meanwhile, often by the server itself after the bind before this.
   */
  private boolean beginsAgain(Operation operation, LdapResult result) {
    PasswordStage stage = passwords;
    if (isRepeated
        || stage == null
        || !stage.hasMatched()
        || result.code() != ResultCode.NO_SUCH_ATTRIBUTE) {
      return false;
    }
    isRepeated = true;
    passwords = null;
    preparing = null;
    operation.moveTo(Lane.READ);
    operation.unpark();
    return true;
  }

  /** The update of an operation that has parked. */
  private record Queued(UpdateOperation body, Operation operation, PreparedUpdate prepared)
      implements Update {
    @Override
    public boolean isWanted() {
      return !operation.isAbandoned();
    }

    @Override
    public boolean isComposite() {
      return prepared.isComposite();
    }

    @Override
    public boolean isAlone() {
      return prepared.isAlone();
    }

    @Override
    public MemoryAccount memory() {
      return operation.session().memory();
    }

    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      return prepared.apply(context);
    }

    @Override
    public void answer(LdapResult result) {
      if (result.code() == ResultCode.SUCCESS) {
        prepared.committed();
        PasswordNotice.send(operation, prepared);
        if (operation.request() instanceof Request.Modify) {
          // Of a client that has to, nothing but the change of its password is carried out.
          operation.passwordChanged();
        }
      } else {
        prepared.notCommitted();
        if (body.beginsAgain(operation, result)) {
          return;
        }
      }
      operation.finish(
          result.controls().isEmpty() ? result : body.directory.accounts().told(result, operation));
    }
  }
}
