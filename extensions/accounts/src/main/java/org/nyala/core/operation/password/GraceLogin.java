package org.nyala.core.operation.password;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.session.Operation;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The record of a login after its password had expired. It is decided again in the writer's turn,
 * so that no more succeed at once than the policy allows.
 *
 * <p>Confined to one running operation, like all updates.
 */
final class GraceLogin implements Update {
  private final OperationContext directory;
  private final AttemptGate.Key account;
  private final Operation operation;
  private final PolicyLogin login;
  private @Nullable LoginVerdict verdict;

  GraceLogin(
      OperationContext directory, AttemptGate.Key account, Operation operation, PolicyLogin login) {
    this.directory = directory;
    this.account = account;
    this.operation = operation;
    this.login = login;
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    OperationContext now = directory.current();
    AccountChange change = AccountChange.begin(now, context, account);
    if (change == null) {
      return LdapResult.of(ResultCode.NO_SUCH_OBJECT);
    }
    Instant time = now.updating().instant();
    PolicyReader.Standing standing = change.standing();
    LoginVerdict decided = LoginVerdict.of(standing.policy(), standing.state(), time);
    verdict = decided;
    if (decided.kind() == LoginVerdict.Kind.GRACE) {
      List<byte[]> uses = new ArrayList<>();
      Instant latest = Instant.MIN;
      for (Instant use : standing.state().use().graceUses()) {
        uses.add(PolicyReader.value(use));
        latest = use.isAfter(latest) ? use : latest;
      }
      // Another one than those on record, whatever the clock says.
      uses.add(PolicyReader.value(time.isAfter(latest) ? time : latest.plusNanos(1000)));
      change.replace("pwdGraceUseTime", uses);
      change.apply();
    }
    return LdapResult.SUCCESS;
  }

  @Override
  public void answer(LdapResult result) {
    login.recorded(result.code() == ResultCode.SUCCESS ? verdict : null);
    operation.unpark();
  }

  @Override
  public boolean isWanted() {
    return !operation.isAbandoned();
  }
}
