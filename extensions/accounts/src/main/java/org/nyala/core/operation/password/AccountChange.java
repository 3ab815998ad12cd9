package org.nyala.core.operation.password;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * A change of the server's own to the state of an account, which leaves {@code modifiersName} and
 * {@code modifyTimestamp} as they are.
 *
 * <p>Confined to one running operation, like all updates.
 */
abstract class AccountChange implements Update {
  final OperationContext directory;
  final AttemptGate.Key account;

  /**
   * Creates a change.
   *
   * @param account the account, whose id may be found {@linkplain #find later}
   */
  AccountChange(OperationContext directory, AttemptGate.Key account) {
    this.directory = directory;
    this.account = account;
  }

  /**
   * One turn of the change. Confined to the writer's thread.
   *
   * @param directory the directory as it is in the turn
   * @param entryId the id of the account
   * @param name its name
   * @param standing the account as it is
   * @param now the time
   * @param changes the changes so far
   */
  record Turn(
      OperationContext directory,
      long entryId,
      Dn name,
      PolicyReader.Standing standing,
      Instant now,
      List<AttributeChange> changes) {
    /** Gives an attribute other values; nothing if the schema does not know it. */
    void replace(String attribute, List<byte[]> values) {
      AttributeType type = directory.schema().attributeType(attribute);
      if (type != null) {
        changes.add(new AttributeChange.Replaced(AttributeDescription.of(type), values));
      }
    }

    /** Removes an attribute if it is there. */
    void clear(String attribute, boolean isThere) {
      if (isThere) {
        replace(attribute, List.of());
      }
    }

    /**
     * Records wrong passwords, and the lock that follows from them.
     *
     * @param times all those that count, also the ones on record; it is changed
     * @param cleared the time until which a right password has cleared them; null for none
     * @return the time of the one that locks the account; null if none does
     */
    @Nullable Instant fail(SortedSet<Instant> times, @Nullable Instant cleared) {
      PasswordPolicy.Lockout lockout = standing.policy().lockout();
      AccountState state = standing.state();
      Instant locked =
          lockout.locksAt(times.size()) && !state.isLockedForGood() ? times.last() : null;
      if (locked != null) {
        replace("pwdAccountLockedTime", List.of(PolicyReader.value(locked)));
      } else {
        clear(
            "pwdAccountLockedTime",
            cleared != null
                && state.lockedBy(now) != null
                && !state.isLocked(standing.policy(), now));
      }
      if (locked == null && !times.isEmpty() && lockout.minDelaySeconds() > 0) {
        Instant end = times.last().plus(lockout.delay(times.size()));
        replace("pwdAccountTmpLockoutEnd", List.of(PolicyReader.value(end)));
      } else {
        clear(
            "pwdAccountTmpLockoutEnd",
            state.delayed() != null && (locked != null || times.isEmpty()));
      }
      while (times.size() > Math.max(lockout.maxRecordedFailure(), lockout.maxFailure())) {
        times.removeFirst();
      }
      if (!times.isEmpty() || !state.failures().isEmpty()) {
        replace("pwdFailureTime", times.stream().map(PolicyReader::value).toList());
      }
      return locked;
    }

    /** Decides about a login after its password had expired, and records it if it succeeds. */
    LoginVerdict useGrace() {
      LoginVerdict verdict = LoginVerdict.of(standing.policy(), standing.state(), now);
      if (verdict.kind() == LoginVerdict.Kind.GRACE) {
        List<byte[]> uses = new ArrayList<>();
        Instant latest = Instant.MIN;
        for (Instant use : standing.state().use().graceUses()) {
          uses.add(PolicyReader.value(use));
          latest = use.isAfter(latest) ? use : latest;
        }
        // Another one than those on record, whatever the clock says.
        uses.add(PolicyReader.value(now.isAfter(latest) ? now : latest.plusNanos(1000)));
        replace("pwdGraceUseTime", uses);
      }
      return verdict;
    }

    /** Records the time of a login, unless there is a later one. */
    void use(Instant time) {
      Instant known = standing.state().use().lastSuccess();
      if (known == null || time.isAfter(known)) {
        replace("pwdLastSuccess", List.of(PolicyReader.valueInSeconds(time)));
      }
    }
  }

  /** Decides what is changed; keeps nothing from a former turn. */
  abstract void change(Turn turn) throws LdapOperationException;

  /** Returns the id of the account in the state of a turn. */
  long find(WriteTransaction state) {
    return account.entryId();
  }

  /**
   * Applies the change, if there is any.
   *
   * @throws LdapOperationException unwillingToPerform if another server changes the entry
   */
  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    OperationContext now = directory.current();
    WriteTransaction state = context.transaction();
    EntryView view = new EntryView();
    long id = find(state);
    if (!state.read(id, view)) {
      return LdapResult.of(ResultCode.NO_SUCH_OBJECT, "there is no such entry");
    }
    // Before the policy is read, to which the view does not stay open.
    Dn name = DnParser.parseStored(now.schema(), view.dn());
    if (now.updating().consumed().holds(name)) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "another server keeps the state of the account");
    }
    PolicyReader.Standing standing = PolicyReader.of(now).read(view, state);
    Turn turn = new Turn(now, id, name, standing, now.updating().instant(), new ArrayList<>(2));
    change(turn);
    if (!turn.changes().isEmpty()) {
      List<AttributeChange> changes =
          now.updating().operational().sequenced(turn.changes(), context.nextCsn());
      context.apply(new ResolvedChange.Modify(name, id, changes), ChangeCause.SERVER);
    }
    return LdapResult.SUCCESS;
  }
}
