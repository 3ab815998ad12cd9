package org.nyala.core.operation.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
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
    if (request instanceof Request.Modify modify
        && OwnPassword.isToBeHashed(directory, modify, identity)) {
      if (!mayTakeLong) {
        if (!isChecked(operation, modify, identity, transactionId != null, budget)) {
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
      Request hashed = hashed(operation, identity);
      if (hashed == null) {
        return Outcome.YIELDED;
      }
      request = hashed;
    }
    PreparedUpdate update = prepare(directory, request, identity, operation.controls());
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
  private @Nullable Request hashed(Operation operation, BoundIdentity identity)
      throws LdapOperationException {
    Request request = operation.request();
    ClearPasswords known = passwords;
    if (known == null) {
      known = ClearPasswords.in(directory, request);
      if (known == null) {
        return request;
      }
      PreparedUpdate _ = prepare(directory, request, identity, operation.controls());
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

  /** Goes on with the check of an own password; false if the slice ends before its end. */
  private boolean isChecked(
      Operation operation,
      Request.Modify modify,
      BoundIdentity identity,
      boolean isInTransaction,
      SliceBudget budget)
      throws LdapOperationException {
    OwnPasswordCheck known = check;
    if (known == null) {
      known =
          new OwnPasswordCheck(directory, modify, identity, operation.controls(), isInTransaction);
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
      OperationContext directory, Request request, BoundIdentity identity, RequestControls honoured)
      throws LdapOperationException {
    PreparedUpdate prepared = prepareBy(directory, request, identity, honoured);
    return new CurrentUpdate(directory, request, identity, honoured, prepared);
  }

  /** Prepares by one schema, even if it is replaced meanwhile. */
  static PreparedUpdate prepareBy(
      OperationContext directory, Request request, BoundIdentity identity, RequestControls honoured)
      throws LdapOperationException {
    return switch (request) {
      case Request.Add add -> AddOperation.prepare(directory, add, identity, honoured);
      case Request.Delete delete -> DeleteOperation.prepare(directory, delete, identity, honoured);
      case Request.Modify modify -> prepareModify(directory, modify, identity, honoured);
      case Request.ModifyDn modifyDn ->
          ModifyDnOperation.prepare(directory, modifyDn, identity, honoured);
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
      BoundIdentity identity,
      RequestControls honoured)
      throws LdapOperationException {
    Dn name = directory.scratch().names.parse(modify.name());
    return directory.virtualEntries().isSubschema(name)
        ? SchemaOperation.prepare(directory, modify, name, identity, honoured)
        : ModifyOperation.prepare(directory, modify, identity, honoured);
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
      }
      operation.finish(result);
    }
  }
}
