package org.nyala.core.operation.update;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.OpenTransactions;
import org.nyala.core.session.OpenTransactions.Member;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * Settles a transaction (RFC 5805, section 3.4): all of its updates are one composite update, or
 * none is carried out. Waits for the earlier updates that have not ended, and applies them in the
 * order of arrival, so that a client may send everything at once.
 *
 * <p>Confined to one running operation.
 */
public final class EndTransaction implements OperationBody {
  public static final String OID = "1.3.6.1.1.21.3";

  public static final Set<ControlType> CONTROLS = Set.of(ControlType.SESSION_TRACKING);

  private static final int RESPONSE_VALUE = 0x8b;

  private final OperationContext directory;
  private final Request.Extended request;
  private OpenTransactions.@Nullable Place place;

  /** The decoded value of the request. */
  public record End(boolean commit, byte[] identifier) {
    /** Reads {@code SEQUENCE { commit BOOLEAN DEFAULT TRUE, identifier OCTET STRING }}. */
    public static End read(@Nullable BerReader reader) throws LdapOperationException {
      if (reader == null) {
        throw new LdapOperationException(
            ResultCode.PROTOCOL_ERROR, "End Transaction needs an identifier");
      }
      try {
        BerReader sequence = reader.sequence();
        boolean commit = sequence.nextTag() != BerReader.BOOLEAN || sequence.bool();
        // UnboundID's client sends the identifier with the tag of the response that it came in.
        boolean asItCame = sequence.nextTag() == RESPONSE_VALUE;
        byte[] identifier = asItCame ? sequence.octets(RESPONSE_VALUE) : sequence.octets();
        End end = new End(commit, identifier);
        sequence.skipExtensions();
        reader.requireEnd();
        return end;
      } catch (InvalidBerException e) {
        throw new LdapOperationException(
            ResultCode.PROTOCOL_ERROR, "the value of End Transaction: " + e.getMessage());
      }
    }
  }

  public EndTransaction(OperationContext directory, Request.Extended request) {
    this.directory = directory;
    this.request = request;
  }

  @Override
  public void arrived(Operation operation) {
    try {
      byte[] identifier = End.read(request.reader()).identifier();
      place = operation.session().transactions().arrive(identifier, true);
    } catch (LdapOperationException _) {
      // A request that cannot be read is refused when it runs, and has no place.
      place = null;
    }
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
    End end = End.read(request.reader());
    List<Member> members = operation.session().transactions().settle(place, operation);
    if (members == null) {
      return Outcome.PARKED;
    }
    if (!end.commit() || members.isEmpty()) {
      operation.sink().extendedResult(LdapResult.SUCCESS, null, null);
      return Outcome.DONE;
    }
    operation.handsOver();
    directory
        .runtime()
        .writers()
        .submit(members.getFirst().update().backend(), new Commit(directory, operation, members));
    return Outcome.PARKED;
  }

  /** All updates of a transaction as one. */
  private static final class Commit implements Update {
    private final OperationContext directory;
    private final Operation operation;
    private final List<Member> members;
    private final List<Answer> answers = new ArrayList<>(0);
    private int failed;

    /** The controls that would have come with the answer to an update. */
    private record Answer(int messageId, List<ResponseControl> controls) {}

    Commit(OperationContext directory, Operation operation, List<Member> members) {
      this.directory = directory;
      this.operation = operation;
      this.members = members;
    }

    @Override
    public boolean isWanted() {
      return !operation.isAbandoned();
    }

    @Override
    public boolean isComposite() {
      return true;
    }

    @Override
    public MemoryAccount memory() {
      return operation.session().memory();
    }

    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      answers.clear();
      failed = 0;
      for (Member member : members) {
        LdapResult result;
        try {
          result = member.update().apply(context);
        } catch (LdapOperationException e) {
          failed = member.messageId();
          throw e;
        }
        if (!result.controls().isEmpty()) {
          answers.add(new Answer(member.messageId(), result.controls()));
        }
      }
      return LdapResult.SUCCESS;
    }

    @Override
    public void answer(LdapResult result) {
      if (result.code() == ResultCode.SUCCESS) {
        members.forEach(member -> PasswordNotice.send(operation, member.update()));
      }
      LdapResult _ = directory.accounts().told(result, operation);
      LdapResult plain = result.with(List.of());
      operation.finish(plain, () -> operation.sink().extendedResult(plain, null, value(plain)));
    }

    /** Returns the {@code txnEndRes}, or null if it would be empty. */
    private byte @Nullable [] value(LdapResult result) {
      BerWriter content = new BerWriter();
      if (result.code() != ResultCode.SUCCESS) {
        return failed == 0 ? null : new BerWriter().sequence(content.integer(failed)).toByteArray();
      }
      if (answers.isEmpty()) {
        return null;
      }
      BerWriter updates = new BerWriter();
      for (Answer answer : answers) {
        BerWriter update = new BerWriter().integer(answer.messageId());
        updates.sequence(update.sequence(controls(answer.controls())));
      }
      return new BerWriter().sequence(content.sequence(updates)).toByteArray();
    }

    private static BerWriter controls(List<ResponseControl> controls) {
      BerWriter writer = new BerWriter();
      for (ResponseControl control : controls) {
        BerWriter content = new BerWriter().text(control.oid());
        byte[] value = control.value();
        if (value != null) {
          content.octets(value);
        }
        writer.sequence(content);
      }
      return writer;
    }
  }
}
