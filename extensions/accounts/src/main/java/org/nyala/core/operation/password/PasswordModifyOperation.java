package org.nyala.core.operation.password;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.ServerSelectors;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.PasswordModifyRequest;
import org.nyala.core.operation.update.ModifyOperation;
import org.nyala.core.operation.update.PasswordNotice;
import org.nyala.core.operation.update.Requester;
import org.nyala.core.operation.update.UpdateRights;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.rights.Profile;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * Changes a user's password (RFC 3062): checks the old one if it is given, generates the new one if
 * it is not given, and stores that hashed.
 *
 * <p>Confined to one running operation.
 */
public final class PasswordModifyOperation implements OperationBody {
  private static final int GENERATED = 0x80;

  private final OperationContext directory;
  private final Request.Extended request;
  private @Nullable Attempt attempt;
  private @Nullable OldPassword old;
  private @Nullable NewPasswordCheck check;

  /** The attempt that a look at former passwords is. */
  private @Nullable PasswordAttempt permit;

  private boolean isInTurn;
  private boolean isOldRight;
  private long admittedNanos;
  private boolean isRepeated;

  /**
   * The work to do once the passwords may be hashed.
   *
   * @param stored the passwords against which the old one is checked; null if none was given
   * @param policed the entry as its policy looks at it; null if it demands nothing of the client
   */
  private record Attempt(
      PasswordModifyRequest wanted,
      Dn name,
      Backend backend,
      @Nullable List<byte[]> stored,
      @Nullable PasswordSubject policed) {
    PasswordPolicy.Changes terms() {
      return policed == null
          ? PasswordPolicy.NONE.changes()
          : policed.standing().policy().changes();
    }
  }

  public PasswordModifyOperation(OperationContext directory, Request.Extended request) {
    this.directory = directory;
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    try {
      return goOn(operation);
    } catch (LdapOperationException e) {
      throw PolicyRefusal.told(e, operation);
    }
  }

  private Outcome goOn(Operation operation) throws LdapOperationException {
    Attempt begun = attempt;
    if (begun != null) {
      return change(operation, begun);
    }
    Attempt started = begin(operation);
    OldPassword proving = old;
    admittedNanos = directory.nanoTime();
    if (proving != null) {
      proving.requireRoom();
    }
    attempt = started;
    check = check(started);
    boolean isSlow =
        proving != null && proving.isSlow()
            || check != null && check.isSlow()
            || directory.updating().passwordScheme().isSlow();
    if (isSlow) {
      operation.moveTo(Lane.HASH);
      return Outcome.YIELDED;
    }
    return change(operation, started);
  }

  /** Returns the check of the new password by the policy; null if there is none to check. */
  private @Nullable NewPasswordCheck check(Attempt started) {
    PasswordSubject policed = started.policed();
    byte[] wanted = started.wanted().newPassword();
    return policed == null || wanted == null
        ? null
        : new NewPasswordCheck(
            policed,
            directory.passwordPolicy().checks(),
            directory.updating().hashBounds(),
            wanted);
  }

  @Override
  public void ended() {
    OldPassword proving = old;
    if (proving != null) {
      proving.close();
    }
  }

  private Attempt begin(Operation operation) throws LdapOperationException {
    PasswordModifyRequest wanted = PasswordModifyRequest.read(request.reader());
    directory.updating().writeAccess().require(operation.identity());
    String user = wanted.user();
    Dn name =
        user == null ? operation.identity().dn() : PasswordModifyRequest.name(directory, user);
    if (directory.roots().of(name) != null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the password of this account is in the configuration");
    }
    Backend backend =
        directory.updating().writeAccess().passwordBackendOf(name, operation.identity());
    long records = AccountRuntime.of(directory).attempts().records();
    try (ReadTransaction transaction = backend.beginRead()) {
      boolean isManager = find(operation, transaction, name);
      PasswordSubject subject =
          PasswordSubject.read(
              directory, directory.scratch().view, transaction.attributes(), transaction);
      boolean isProof = wanted.oldPassword() != null;
      boolean isPoliced = !isManager && subject.standing().name() != null;
      if (isPoliced) {
        ChangeDemands.require(
            subject,
            operation.identity().dn().equals(name),
            isProof,
            directory.updating().instant());
      }
      PasswordGate gate =
          new PasswordGate(directory, operation, backend, name, subject, records, false);
      old = isProof ? gate.ofPresent() : null;
      permit = isProof ? null : gate.attempt();
      return new Attempt(
          wanted, name, backend, isProof ? subject.passwords() : null, isPoliced ? subject : null);
    }
  }

  /**
   * Moves the view to the entry, whose password the client may change: the old one is not looked at
   * before that is known.
   *
   * @return true if the client manages passwords
   */
  private boolean find(Operation operation, ReadTransaction transaction, Dn name)
      throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    Requester client = Requester.of(operation);
    UpdateRights rights = client.before(directory, transaction, false);
    if (rights != null) {
      Profile profile =
          rights.find(name, scratch.view, ModifyOperation.demandOfPassword(directory));
      return ModifyOperation.managesPasswords(directory, client, name, rights, profile);
    }
    ClientView known = ClientView.of(directory, transaction, null, false);
    if (!known.show(known.find(name))) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    return ModifyOperation.managesPasswords(directory, client, name, null, null);
  }

  /** Returns the passwords of the entry that the view shows. */
  private List<byte[]> passwords(OperationScratch scratch, ReadTransaction transaction) {
    return ServerSelectors.values(
        scratch.view,
        transaction.attributes(),
        directory.reading().selectors().userPassword(),
        scratch.values);
  }

  private Outcome change(Operation operation, Attempt tried) throws LdapOperationException {
    if (!isInTurn) {
      directory.requireTurn(admittedNanos, operation.session().metrics().operationsRefused());
      isInTurn = true;
    }
    if (!isOldRight) {
      Outcome outcome = proveOld(operation, tried);
      if (outcome != null) {
        return outcome;
      }
      isOldRight = true;
    }
    NewPasswordCheck checks = check;
    OldPassword proving = old;
    PasswordAttempt looking = proving == null ? permit : proving.attempt();
    if (checks != null && looking != null && !looking.isAdmitted() && checks.compares()) {
      // Each answer is about former passwords.
      looking.begin();
    }
    while (checks != null && !checks.isDone()) {
      checks.step(looking, operation::isAbandoned);
      if (checks.isSlow() && !checks.isDone()) {
        return Outcome.YIELDED;
      }
    }
    if (operation.isAbandoned()) {
      throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
    }
    return store(operation, tried);
  }

  /** Checks the old password if one was given; null if it is right, else the slice's outcome. */
  private @Nullable Outcome proveOld(Operation operation, Attempt tried)
      throws LdapOperationException {
    OldPassword proving = old;
    byte[] sent = tried.wanted().oldPassword();
    if (proving == null || sent == null) {
      return null;
    }
    OldPassword.Step step = OldPassword.Step.GOES_ON;
    while (step == OldPassword.Step.GOES_ON) {
      step = proving.step(operation, sent);
    }
    return step == OldPassword.Step.PARKED ? Outcome.PARKED : null;
  }

  /** Hands the new password over to the writer. */
  private Outcome store(Operation operation, Attempt tried) throws LdapOperationException {
    byte[] given = tried.wanted().newPassword();
    byte[] password =
        given == null ? GeneratedPassword.of(directory.updating().random(), tried.terms()) : given;
    byte[] hash = directory.updating().hash(password);
    ModifyOperation modify =
        ModifyOperation.ofPassword(
            directory, tried.backend(), requester(operation, tried), tried.name(), hash);
    byte[] generated = given == null ? password : null;
    operation.hashed();
    operation.handsOver();
    directory
        .runtime()
        .writers()
        .submit(tried.backend(), new Change(operation, tried, modify, hash, generated));
    return Outcome.PARKED;
  }

  /**
   * Checks the old password once more, as it was stored anew meanwhile: often by the server itself,
   * after the bind before this.
   */
  private void beginAgain(Operation operation) {
    isRepeated = true;
    attempt = null;
    old = null;
    permit = null;
    check = null;
    isInTurn = false;
    isOldRight = false;
    operation.moveTo(Lane.READ);
    operation.unpark();
  }

  private static Requester requester(Operation operation, Attempt tried) {
    PasswordSubject policed = tried.policed();
    return Requester.of(operation)
        .checked(policed == null ? null : policed.standing().name(), tried.stored() != null);
  }

  /** The part that runs in the writer's turn. */
  private final class Change implements Update {
    private final Operation operation;
    private final Attempt tried;
    private final ModifyOperation modify;
    private final byte[] hash;
    private final byte @Nullable [] generated;
    private boolean isOvertaken;

    Change(
        Operation operation,
        Attempt tried,
        ModifyOperation modify,
        byte[] hash,
        byte @Nullable [] generated) {
      this.hash = hash;
      this.operation = operation;
      this.tried = tried;
      this.modify = modify;
      this.generated = generated;
    }

    @Override
    public boolean isWanted() {
      return !operation.isAbandoned();
    }

    @Override
    public boolean isComposite() {
      return modify.isComposite();
    }

    @Override
    public MemoryAccount memory() {
      return operation.session().memory();
    }

    /** The old password was checked before the turn: it must still be the old one. */
    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      OperationContext now = directory.current();
      isOvertaken = tried.stored() != null && isOvertaken(context.transaction());
      if (isOvertaken) {
        throw new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM, "the password was changed meanwhile");
      }
      // By the rules of the moment: they may have changed since the request was read.
      return now == directory
          ? modify.apply(context)
          : ModifyOperation.ofPassword(
                  now, tried.backend(), requester(operation, tried), tried.name(), hash)
              .apply(context);
    }

    /** Returns whether the entry has other passwords now; one that has gone is not found later. */
    private boolean isOvertaken(WriteTransaction transaction) {
      List<byte[]> checked = tried.stored();
      OperationScratch scratch = directory.scratch();
      return checked != null
          && transaction.read(transaction.find(tried.name()), scratch.view)
          && !same(checked, passwords(scratch, transaction));
    }

    private static boolean same(List<byte[]> one, List<byte[]> other) {
      return Arrays.deepEquals(one.toArray(), other.toArray());
    }

    @Override
    public void answer(LdapResult result) {
      if (isOvertaken && !isRepeated && result.code() == ResultCode.UNWILLING_TO_PERFORM) {
        beginAgain(operation);
        return;
      }
      boolean isChanged = result.code() == ResultCode.SUCCESS;
      if (isChanged) {
        PasswordNotice.send(operation, modify);
        // Of a client that has to, nothing but the change of its password is carried out.
        operation.passwordChanged();
      }
      LdapResult told = PolicyRefusal.told(result, operation);
      operation.finish(
          told, () -> operation.sink().extendedResult(told, null, isChanged ? value() : null));
    }

    private byte @Nullable [] value() {
      return generated == null
          ? null
          : new BerWriter().sequence(new BerWriter().octets(GENERATED, generated)).toByteArray();
    }
  }
}
