package org.nyala.core.operation.search;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.policy.PolicyReader.Standing;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.session.Operation;

/**
 * The usability of accounts, as the response control of Sun's directories tells it with each entry
 * that has a password, to those who may compare that: root, or whoever a rule lets. Stateless.
 */
final class AccountUsability {
  private static final int AVAILABLE = 0x80;
  private static final int NOT_AVAILABLE = 0xa1;
  private static final int INACTIVE = 0x80;
  private static final int RESET = 0x81;
  private static final int EXPIRED = 0x82;
  private static final int GRACE_LEFT = 0x83;
  private static final int BEFORE_UNLOCK = 0x84;

  private AccountUsability() {}

  /** Returns the control of an entry; none if it has no password, or the client is not told. */
  static List<ResponseControl> of(
      SearchPlan plan, Operation operation, ReadTransaction transaction, EntryView view) {
    AttributeDescription password = password(transaction, view);
    if (password == null || !isTold(plan, operation, view, password)) {
      return List.of();
    }
    OperationContext directory = plan.directory();
    Standing standing = directory.reading().policies().read(view, transaction);
    byte[] value = value(standing.policy(), standing.state(), directory.updating().instant());
    return List.of(new ResponseControl(ControlType.ACCOUNT_USABILITY.oid(), value));
  }

  private static @Nullable AttributeDescription password(
      ReadTransaction transaction, EntryView view) {
    for (int i = 0; i < view.attributeCount(); i++) {
      AttributeDescription each = transaction.attributes().description(view.attributeId(i));
      if (SecretTypes.isPassword(each.type())) {
        return each;
      }
    }
    return null;
  }

  private static boolean isTold(
      SearchPlan plan, Operation operation, EntryView view, AttributeDescription password) {
    Profile profile = plan.profile(view);
    return operation.identity().isRoot()
        || profile != null
            && Rights.has(profile.rights(password), Right.COMPARE)
            && profile.onValues(password, Right.COMPARE) == Answer.GRANTED;
  }

  static byte[] value(PasswordPolicy policy, AccountState state, Instant now) {
    Instant expires = LoginVerdict.expires(policy, state.use());
    boolean isLocked = state.isLocked(policy, now);
    boolean isReset = policy.changes().mustChange() && state.use().isReset();
    boolean isExpired = expires != null && now.isAfter(expires);
    if (!isLocked && !isReset && !isExpired) {
      int left = expires == null ? -1 : seconds(now, expires);
      return new BerWriter().integer(AVAILABLE, left).toByteArray();
    }
    BerWriter more =
        new BerWriter().bool(INACTIVE, isLocked).bool(RESET, isReset).bool(EXPIRED, isExpired);
    if (expires != null && isExpired) {
      more.integer(GRACE_LEFT, LoginVerdict.graceLeft(policy, state.use(), expires, now));
    }
    Instant unlocked = state.unlocked(policy, now);
    if (isLocked && unlocked != null) {
      more.integer(BEFORE_UNLOCK, seconds(now, unlocked));
    }
    return new BerWriter().constructed(NOT_AVAILABLE, more).toByteArray();
  }

  private static int seconds(Instant from, Instant to) {
    return (int)
        Math.min(Integer.MAX_VALUE, Duration.between(from, to).plusMillis(999).toSeconds());
  }
}
