package org.nyala.core.operation.update;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The record of wrong passwords in the entry of an account, and of the lock that follows from them;
 * or that a right one has cleared them (draft-behera-ldap-password-policy-11, sections 7.2 and
 * 7.5). All that is due when the update has its turn goes into one change, which leaves {@code
 * modifiersName} and {@code modifyTimestamp} as they are.
 *
 * <p>Confined to one running operation, like all updates.
 */
public final class RecordedFailures implements Update {
  private static final System.Logger LOG = System.getLogger(RecordedFailures.class.getName());

  private final OperationContext directory;
  private final AttemptGate.Key account;
  private AttemptGate.Due due = new AttemptGate.Due(List.of(), null);

  private RecordedFailures(OperationContext directory, AttemptGate.Key account) {
    this.directory = directory;
    this.account = account;
  }

  /** Returns the recorder of a directory. */
  public static AttemptGate.Recorder recorder(OperationContext directory) {
    return account -> {
      try {
        if (directory.updating().isReadOnly()) {
          return false;
        }
        directory
            .runtime()
            .writers()
            .submit(account.backend(), new RecordedFailures(directory, account));
        return true;
      } catch (LdapOperationException _) {
        return false;
      } catch (Throwable e) {
        LOG.log(System.Logger.Level.ERROR, "wrong passwords cannot be recorded", e);
        return false;
      }
    };
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    OperationContext now = directory.current();
    due = now.runtime().attempts().due(account);
    ReadTransaction state = context.transaction();
    EntryView entry = new EntryView();
    if (!state.read(account.entryId(), entry)) {
      return LdapResult.of(ResultCode.NO_SUCH_OBJECT);
    }
    PolicyReader.Standing standing = now.reading().policies().read(entry, state);
    List<AttributeChange> changes = changes(now, standing);
    if (!changes.isEmpty() && state.read(account.entryId(), entry)) {
      context.apply(
          new ResolvedChange.Modify(
              DnParser.parseStored(now.schema(), entry.dn()),
              account.entryId(),
              now.updating().operational().sequenced(changes, context.nextCsn())),
          ChangeCause.SERVER);
    }
    return LdapResult.SUCCESS;
  }

  private List<AttributeChange> changes(OperationContext now, PolicyReader.Standing standing) {
    PasswordPolicy policy = standing.policy();
    AccountState state = standing.state();
    Instant time = now.updating().instant();
    SortedSet<Instant> times = state.counted(policy, due.cleared(), time);
    times.addAll(state.countedOf(due.failures(), policy, due.cleared(), time));
    List<AttributeChange> changes = new ArrayList<>(2);
    boolean isLocked =
        policy.countsFailures() && times.size() >= policy.maxFailure() && !state.isLockedForGood();
    boolean isCleared =
        due.cleared() != null && state.locked() != null && !state.isLocked(policy, time);
    if (isLocked) {
      add(now, changes, "pwdAccountLockedTime", List.of(PolicyReader.value(times.last())));
    } else if (isCleared) {
      add(now, changes, "pwdAccountLockedTime", List.of());
    }
    while (times.size() > Math.max(policy.maxRecordedFailure(), policy.maxFailure())) {
      times.removeFirst();
    }
    if (!times.isEmpty() || !state.failures().isEmpty()) {
      add(now, changes, "pwdFailureTime", times.stream().map(PolicyReader::value).toList());
    }
    return changes;
  }

  private static void add(
      OperationContext now, List<AttributeChange> changes, String name, List<byte[]> values) {
    AttributeType type = now.schema().attributeType(name);
    if (type != null) {
      changes.add(new AttributeChange.Replaced(AttributeDescription.of(type), values));
    }
  }

  @Override
  public void answer(LdapResult result) {
    boolean isRecorded =
        result.code() == ResultCode.SUCCESS || result.code() == ResultCode.NO_SUCH_OBJECT;
    directory
        .runtime()
        .attempts()
        .recorded(account, due, isRecorded, recorder(directory.current()));
  }

  @Override
  public boolean isWanted() {
    return true;
  }

  @Override
  public boolean isComposite() {
    return false;
  }
}
