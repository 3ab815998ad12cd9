package org.nyala.core.operation.password;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
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
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.rights.Profile;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.Sequence;
import org.nyala.core.session.Sequence.LastStep;
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

  /** The characters of generated passwords: none is easily mistaken for another. */
  private static final String ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

  /** The usual length; 16 characters out of 56 are 92 bits. */
  private static final int USUAL_LENGTH = 16;

  private static final int LONGEST = 256;

  private final OperationContext directory;
  private final Request.Extended request;
  private @Nullable Sequence steps;
  private boolean isRepeated;

  /**
   * The change that a client asks for, as far as it is known before passwords are looked at.
   *
   * @param isPoliced true if the policy of the entry demands something of the client
   */
  private record Attempt(PasswordModifyRequest wanted, PasswordGate gate, boolean isPoliced) {
    boolean isProof() {
      return wanted.oldPassword() != null;
    }

    Operation operation() {
      return gate.operation();
    }

    Backend backend() {
      return gate.account().backend();
    }

    PasswordPolicy.Changes terms() {
      return isPoliced
          ? gate.subject().standing().policy().changes()
          : PasswordPolicy.NONE.changes();
    }

    ModifyOperation modify(OperationContext directory, byte[] hash) throws LdapOperationException {
      Requester requester =
          Requester.of(operation())
              .checked(isPoliced ? gate.subject().standing().name() : null, isProof());
      return ModifyOperation.ofPassword(directory, backend(), requester, gate.name(), hash);
    }
  }

  public PasswordModifyOperation(OperationContext directory, Request.Extended request) {
    this.directory = directory;
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    Sequence begun = steps;
    try {
      if (begun != null) {
        return begun.run();
      }
      Attempt tried = read(operation);
      if (tried.isProof()) {
        tried.gate().looking().requireRoom();
      }
      long admittedNanos = directory.nanoTime();
      steps = new Sequence(operation, going -> change(going, tried, admittedNanos));
      // Whatever the scheme is: no event loop waits for a method.
      operation.moveTo(Lane.HASH);
      return Outcome.YIELDED;
    } catch (LdapOperationException e) {
      throw directory.accounts().told(e, operation);
    }
  }

  @Override
  public void ended() {
    Sequence begun = steps;
    if (begun != null) {
      begun.close();
    }
  }

  private Attempt read(Operation operation) throws LdapOperationException {
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
      boolean isPoliced = !isManager && subject.standing().name() != null;
      if (isPoliced) {
        subject.requireChangeable(
            operation.identity().dn().equals(name),
            wanted.oldPassword() != null,
            directory.updating().instant());
      }
      PasswordGate gate =
          PasswordGate.of(directory, operation, backend, name, subject, records, false);
      return new Attempt(wanted, gate, isPoliced);
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

  /** Proves the old password, checks the new one, and hands it over to the writer. */
  private LastStep change(Sequence going, Attempt tried, long admittedNanos)
      throws LdapOperationException {
    tried.operation().requireTurn(admittedNanos);
    byte[] sent = tried.wanted().oldPassword();
    if (sent != null) {
      List<byte[]> _ = tried.gate().provePresent(going, sent);
    }
    byte[] given = tried.wanted().newPassword();
    if (tried.isPoliced() && given != null) {
      tried.gate().requireNew(going, given);
    }
    going.requireWanted();
    byte[] password =
        given == null ? generated(directory.updating().random(), tried.terms()) : given;
    byte[] hash = going.here(() -> directory.updating().hash(password));
    return () -> {
      Change change = new Change(tried, hash, given == null ? password : null);
      tried.operation().hashed();
      tried.operation().handsOver();
      directory.runtime().writers().submit(tried.backend(), change);
      return Outcome.PARKED;
    };
  }

  /** Returns a new password, as long as a policy wants it. */
  private static byte[] generated(RandomGenerator random, PasswordPolicy.Changes terms) {
    int most = terms.maxLength() == 0 ? LONGEST : terms.maxLength();
    int length = Math.min(most, Math.clamp(terms.minLength(), USUAL_LENGTH, LONGEST));
    StringBuilder password = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      password.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return password.toString().getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Checks the old password once more, as it was stored anew meanwhile: often by the server itself,
   * after the bind before this.
   */
  private void beginAgain(Operation operation) {
    isRepeated = true;
    steps = null;
    operation.moveTo(Lane.READ);
    operation.unpark();
  }

  /** The part that runs in the writer's turn. */
  private final class Change implements Update {
    private final Attempt tried;
    private final Operation operation;
    private final ModifyOperation modify;
    private final byte[] hash;
    private final byte @Nullable [] generated;
    private boolean isOvertaken;

    Change(Attempt tried, byte[] hash, byte @Nullable [] generated) throws LdapOperationException {
      this.tried = tried;
      this.operation = tried.operation();
      this.modify = tried.modify(directory, hash);
      this.hash = hash;
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
      isOvertaken = tried.isProof() && isOvertaken(context.transaction());
      if (isOvertaken) {
        throw new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM, "the password was changed meanwhile");
      }
      // By the rules of the moment: they may have changed since the request was read.
      return (now == directory ? modify : tried.modify(now, hash)).apply(context);
    }

    /** Returns whether the entry has other passwords now; one that has gone is not found later. */
    private boolean isOvertaken(WriteTransaction transaction) {
      OperationScratch scratch = directory.scratch();
      if (!transaction.read(transaction.find(tried.gate().name()), scratch.view)) {
        return false;
      }
      List<byte[]> now =
          ServerSelectors.values(
              scratch.view,
              transaction.attributes(),
              directory.reading().selectors().userPassword(),
              scratch.values);
      return !Arrays.deepEquals(tried.gate().subject().passwords().toArray(), now.toArray());
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
