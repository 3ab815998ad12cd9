package org.nyala.cluster.forward;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.update.EndTransaction;
import org.nyala.core.operation.update.TransactionMember;
import org.nyala.core.session.OpenTransactions;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.PreparedUpdate;
import org.nyala.core.update.UpdateContext;

/**
 * A change that a client asks of a member. The leader carries it out, and confirms refusals: a
 * member that has lost the leadership and does not know it would refuse by entries that are old. A
 * follower passes it on; one of a transaction waits for the end of that.
 *
 * <p>Confined to one running operation.
 */
final class ClusterChange implements OperationBody {
  private final OperationContext directory;
  private final Forwarding forwarding;
  private final boolean isPassedOn;
  private final OperationBody body;
  private final Kind kind;

  /** The term in which this member leads, and carries it out itself; -1 if another one does. */
  private long term = -1;

  private OpenTransactions.@Nullable Place place;
  private boolean isBegun;

  /** The kinds of changes. */
  enum Kind {
    /** A request of its own. */
    SINGLE,
    /** A request that waits for the end of its transaction. */
    IN_TRANSACTION,
    /** The end of a transaction. */
    END_OF_TRANSACTION
  }

  /** An update that the leader makes, at the end of its transaction. Immutable. */
  private record Later(Request request, Backend backend) implements PreparedUpdate {
    @Override
    public boolean isComposite() {
      return true;
    }

    /** Refuses a transaction that was begun while another member led. */
    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      throw new LdapOperationException(changed());
    }
  }

  ClusterChange(
      OperationContext directory,
      Forwarding forwarding,
      boolean isPassedOn,
      OperationBody body,
      Kind kind) {
    this.directory = directory;
    this.forwarding = forwarding;
    this.isPassedOn = isPassedOn;
    this.body = body;
    this.kind = kind;
  }

  private static LdapResult changed() {
    return LdapResult.of(
        ResultCode.UNAVAILABLE,
        "another member has begun to lead the cluster during the transaction, which was not made");
  }

  @Override
  public void arrived(Operation operation) {
    term = forwarding.group().leadingTerm();
    if (isLocal(operation)) {
      body.arrived(operation);
    } else if (kind == Kind.IN_TRANSACTION) {
      place = TransactionMember.arrive(operation);
    } else if (kind == Kind.END_OF_TRANSACTION) {
      try {
        byte[] identifier = end(operation).identifier();
        place = operation.session().transactions().arrive(identifier, true);
      } catch (LdapOperationException _) {
        // A request that cannot be read is refused when it runs, and has no place.
        place = null;
      }
    }
  }

  /** A request that was passed on already is carried out here, or goes back. */
  private boolean isLocal(Operation operation) {
    return term >= 0 || !isPassedOn || isOfMember(operation);
  }

  private static boolean isOfMember(Operation operation) {
    return operation.session().connection() instanceof ForwardedSession;
  }

  private static EndTransaction.End end(Operation operation) throws LdapOperationException {
    return operation.request() instanceof Request.Extended extended
        ? EndTransaction.End.read(extended.reader())
        : EndTransaction.End.read(null);
  }

  @Override
  public void ended() {
    OpenTransactions.Place taken = place;
    if (taken != null) {
      taken.leave();
    }
    body.ended();
  }

  @Override
  public boolean isReady() {
    return body.isReady();
  }

  @Override
  public boolean isEndless() {
    return body.isEndless();
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (isLocal(operation)) {
      return carryOut(operation, budget);
    }
    return switch (kind) {
      case SINGLE -> passOn(operation, operation.identity(), List.of(operation.request()));
      case IN_TRANSACTION -> keep(operation);
      case END_OF_TRANSACTION -> passOnAll(operation);
    };
  }

  private Outcome passOn(Operation operation, BoundIdentity identity, List<Request> requests)
      throws LdapOperationException {
    forwarding.begin(operation, identity, kind == Kind.END_OF_TRANSACTION, requests);
    return Outcome.PARKED;
  }

  /** Has the update wait for the end of its transaction; the leader looks at it then. */
  private Outcome keep(Operation operation) throws LdapOperationException {
    Request request = operation.request();
    byte[] identifier = TransactionMember.transactionId(request.controls());
    if (identifier == null) {
      throw new IllegalStateException("no update of a transaction");
    }
    Backend backend = directory.contexts().backend(0);
    TransactionMember.enlist(
        directory, operation, identifier, place, new Later(request, backend), 0);
    operation.sink().result(request, LdapResult.SUCCESS);
    return Outcome.DONE;
  }

  private Outcome passOnAll(Operation operation) throws LdapOperationException {
    EndTransaction.End end = end(operation);
    BoundIdentity identity = operation.session().transactions().identity(place);
    List<OpenTransactions.Member> members =
        operation.session().transactions().settle(place, operation);
    if (members == null) {
      return Outcome.PARKED;
    }
    if (!end.commit() || members.isEmpty()) {
      operation.sink().extendedResult(LdapResult.SUCCESS, null, null);
      return Outcome.DONE;
    }
    List<Request> requests = new ArrayList<>();
    for (OpenTransactions.Member member : members) {
      if (!(member.update() instanceof Later later)) {
        // It was prepared by this member, which led then.
        throw new LdapOperationException(changed());
      }
      requests.add(later.request());
    }
    requests.add(operation.request());
    return passOn(operation, identity, requests);
  }

  /** Carries the change out, and looks at the result before the client does. */
  private Outcome carryOut(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (term < 0) {
      if (isOfMember(operation)) {
        throw new LdapOperationException(Outcomes.notLeading());
      }
      // The client is referred to the leader.
      return body.run(operation, budget);
    }
    if (!isBegun) {
      isBegun = true;
      operation.gateBy((result, answer) -> holds(operation, result, answer));
    }
    try {
      return body.run(operation, budget);
    } catch (LdapOperationException e) {
      LdapResult result = e.result();
      boolean isTried = Outcomes.isNotMade(result);
      if (!isTried && !Outcomes.isOfEntries(result)) {
        throw e;
      }
      RefusalReason reason = e.reason();
      if (reason != null) {
        operation.guessed(reason);
      }
      if (isTried && !isTriedElsewhere(operation)) {
        throw e;
      }
      operation.hashed();
      operation.finish(result);
      return Outcome.PARKED;
    }
  }

  private boolean isTriedElsewhere(Operation operation) {
    return isPassedOn && kind == Kind.SINGLE && !isOfMember(operation);
  }

  /** Takes over a result that is not to be told as it is, or not yet. */
  private boolean holds(Operation operation, LdapResult result, Runnable answer) {
    if (Outcomes.isNotMade(result)) {
      if (!isTriedElsewhere(operation)) {
        return false;
      }
      elsewhere(operation);
      return true;
    }
    if (!Outcomes.isOfEntries(result)) {
      return false;
    }
    confirm(operation, answer);
    return true;
  }

  /**
   * Answers with a refusal once it is known that this member has led all the time: an entry that it
   * appends afterwards is kept by most members in the term in which the request came. Those that
   * wait share an entry.
   */
  private void confirm(Operation operation, Runnable answer) {
    Group group = forwarding.group();
    var _ =
        group
            .barrier()
            .toCompletableFuture()
            .copy()
            .orTimeout(forwarding.answerTime().toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete(
                (at, e) -> {
                  if (e == null && isSameTerm(at)) {
                    answer.run();
                  } else if (e == null && isTriedElsewhere(operation)) {
                    elsewhere(operation);
                  } else if (e == null) {
                    operation.finish(Outcomes.notLeading());
                  } else {
                    operation.finish(unconfirmed());
                  }
                });
  }

  private boolean isSameTerm(LogPosition at) {
    return at.term() == term;
  }

  private static LdapResult unconfirmed() {
    return LdapResult.of(
        ResultCode.UNAVAILABLE,
        "most members of the cluster do not answer, so that entries here may be old, by which the"
            + " change would be refused: the change was not made");
  }

  private void elsewhere(Operation operation) {
    forwarding.goOn(operation);
  }
}
