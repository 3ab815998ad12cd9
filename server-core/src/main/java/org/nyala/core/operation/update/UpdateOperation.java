package org.nyala.core.operation.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.MemoryAccount;
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
  private @Nullable OwnPasswordCheck check;
  private @Nullable ClearPasswords passwords;
  private boolean mayTakeLong;

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
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    Request request = operation.request();
    byte[] transactionId = TransactionMember.transactionId(request.controls());
    BoundIdentity identity =
        transactionId == null
            ? operation.identity()
            : operation.session().transactions().identity(place);
    Requester requester = requester(operation, identity);
    if (request instanceof Request.Modify modify
        && OwnPassword.isToBeHashed(directory, modify, identity)) {
      if (!mayTakeLong) {
        if (!isChecked(operation, modify, requester, transactionId != null, budget)) {
          return Outcome.YIELDED;
        }
        if (directory.updating().passwordScheme().isSlow()) {
          mayTakeLong = true;
          operation.moveTo(Lane.HASH);
          return Outcome.YIELDED;
        }
      }
      request = OwnPassword.hashed(directory, modify);
    } else {
      Request hashed = hashed(operation, requester, transactionId != null);
      if (hashed == null) {
        return Outcome.YIELDED;
      }
      request = hashed;
    }
    PreparedUpdate update = prepare(directory, request, requester, operation.controls());
    if (transactionId != null) {
      TransactionMember.enlist(directory, operation, transactionId, place, update);
      operation.sink().result(request, LdapResult.SUCCESS);
      return Outcome.DONE;
    }
    operation.handsOver();
    directory.runtime().writers().submit(update.backend(), new Queued(operation, update));
    return Outcome.PARKED;
  }

  /**
   * Returns the request with passwords in clear text hashed, which is begun only for an update that
   * is not refused at once; null if the slice ends before.
   */
  private @Nullable Request hashed(
      Operation operation, Requester requester, boolean isInTransaction)
      throws LdapOperationException {
    Request request = operation.request();
    ClearPasswords known = passwords;
    if (known == null) {
      known = ClearPasswords.in(directory, request, requester.isRuled(directory));
      if (known == null) {
        return request;
      }
      PreparedUpdate update = prepareBy(directory, request, requester, operation.controls());
      if (!requester.isRuled(directory)) {
        known.compareWithStored();
      } else if (!isInTransaction) {
        requireRights(update, requester);
        known.compareWithStored();
      }
      passwords = known;
      if (known.isSlow()) {
        operation.moveTo(Lane.HASH);
        return null;
      }
    }
    while (!known.isDone()) {
      known.step(operation);
      if (known.isSlow()) {
        return null;
      }
    }
    return known.request();
  }

  /**
   * Returns the client as the writer will know it.
   *
   * @throws LdapOperationException unwillingToPerform for an empty password
   */
  private Requester requester(Operation operation, BoundIdentity identity)
      throws LdapOperationException {
    Requester requester = Requester.of(operation, identity);
    return requester.isRuled(directory)
        ? requester.sending(PresentedHashes.in(directory.schema(), operation.request()))
        : requester;
  }

  /** Requires rights before passwords are hashed, or compared with those that are stored. */
  private void requireRights(PreparedUpdate update, Requester requester)
      throws LdapOperationException {
    if (!(update instanceof RuledUpdate ruled)) {
      throw new IllegalStateException("no update with passwords: " + update);
    }
    try (ReadTransaction read = update.backend().beginRead()) {
      UpdateRights rights = requester.before(directory, read, ruled.manageDsaIt());
      if (rights != null) {
        ruled.requireRights(rights);
      }
    }
  }

  /** Goes on with the check of an own password; false if the slice ends before its end. */
  private boolean isChecked(
      Operation operation,
      Request.Modify modify,
      Requester requester,
      boolean isInTransaction,
      SliceBudget budget)
      throws LdapOperationException {
    OwnPasswordCheck known = check;
    if (known == null) {
      known =
          new OwnPasswordCheck(directory, modify, requester, operation.controls(), isInTransaction);
      check = known;
    }
    return known.go(operation, budget);
  }

  /**
   * Checks a request to change the directory as far as that goes without a store.
   *
   * @throws LdapOperationException to refuse it
   */
  static PreparedUpdate prepare(
      OperationContext directory, Request request, Requester requester, RequestControls honoured)
      throws LdapOperationException {
    PreparedUpdate prepared = prepareBy(directory, request, requester, honoured);
    return new CurrentUpdate(directory, request, requester, honoured, prepared);
  }

  /** Prepares by one schema, even if it is replaced meanwhile. */
  static PreparedUpdate prepareBy(
      OperationContext directory, Request request, Requester requester, RequestControls honoured)
      throws LdapOperationException {
    return switch (request) {
      case Request.Add add -> AddOperation.prepare(directory, add, requester, honoured);
      case Request.Delete delete -> DeleteOperation.prepare(directory, delete, requester, honoured);
      case Request.Modify modify -> prepareModify(directory, modify, requester, honoured);
      case Request.ModifyDn modifyDn ->
          ModifyDnOperation.prepare(directory, modifyDn, requester, honoured);
      case Request.Bind _,
          Request.Unbind _,
          Request.Search _,
          Request.Compare _,
          Request.Abandon _,
          Request.Extended _ ->
          throw new IllegalArgumentException("no update: " + request.getClass().getSimpleName());
    };
  }

  private static PreparedUpdate prepareModify(
      OperationContext directory,
      Request.Modify modify,
      Requester requester,
      RequestControls honoured)
      throws LdapOperationException {
    Dn name = directory.scratch().names.parse(modify.name());
    return directory.virtualEntries().isSubschema(name)
        ? SchemaOperation.prepare(directory, modify, name, requester.identity(), honoured)
        : ModifyOperation.prepare(directory, modify, requester, honoured);
  }

  /** The update of an operation that has parked. */
  private record Queued(Operation operation, PreparedUpdate prepared) implements Update {
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
      } else {
        prepared.notCommitted();
      }
      operation.finish(result);
    }
  }
}
