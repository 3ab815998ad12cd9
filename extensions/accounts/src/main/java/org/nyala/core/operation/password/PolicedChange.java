package org.nyala.core.operation.password;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.PasswordClient;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.PasswordHistory;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.rules.RequestedChange;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.SecretTypes;

/**
 * The part that the password policy of an entry has in a change of its passwords, in the writer's
 * turn: who may change them and when, and the state that follows
 * (draft-behera-ldap-password-policy-11, sections 8.2 and 8.3). Without a policy, that is the time
 * of the change, where the configuration wants it. Attributes that the client changes itself are
 * left to it.
 *
 * <p>Confined to the writer's thread, for one turn of one update.
 */
public final class PolicedChange {
  private static final Set<String> UNLOCKED =
      Set.of("pwdAccountLockedTime", "pwdAccountTmpLockoutEnd");

  private final OperationContext directory;
  private final PasswordSubject subject;
  private final PasswordClient client;
  private final List<AttributeChange> changes;

  private PolicedChange(
      OperationContext directory,
      PasswordSubject subject,
      PasswordClient client,
      List<AttributeChange> changes) {
    this.directory = directory;
    this.subject = subject;
    this.client = client;
    this.changes = changes;
  }

  /** Returns whether a policy may have a part in changes. */
  public static boolean concerns(List<RequestedChange> requested) {
    for (RequestedChange change : requested) {
      AttributeType type = change.description().type();
      if (SecretTypes.isPassword(type) || UNLOCKED.contains(type.name())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the changes of an entry with those that follow from its policy.
   *
   * @param requested the changes that the client asks for
   * @param after the entry as it is afterwards
   * @param resolved the changes that these are
   * @throws LdapOperationException constraintViolation or insufficientAccessRights, with the
   *     response control
   */
  public static List<AttributeChange> complete(
      OperationContext directory,
      PasswordSubject subject,
      PasswordClient client,
      List<RequestedChange> requested,
      Entry after,
      List<AttributeChange> resolved)
      throws LdapOperationException {
    PolicedChange change = new PolicedChange(directory, subject, client, new ArrayList<>(resolved));
    boolean isTouched = requested.stream().anyMatch(PolicedChange::isOfPassword);
    boolean isSet = requested.stream().anyMatch(PolicedChange::isSet) && count(after) > 0;
    if (isTouched && subject.standing().name() != null) {
      change.require(isSet, after);
      change.follow(isSet);
    } else if (isTouched) {
      change.noteTime(isSet, count(after) > 0);
    } else if (UNLOCKED.stream().anyMatch(name -> change.isGone(name, after))) {
      change.add("pwdFailureTime", List.of());
    }
    return change.changes;
  }

  private static boolean isOfPassword(RequestedChange change) {
    return SecretTypes.isPassword(change.description().type());
  }

  private static boolean isSet(RequestedChange change) {
    return isOfPassword(change)
        && change.kind() != RequestedChange.Kind.DELETE
        && !change.values().isEmpty();
  }

  /** Requires of whoever does not manage passwords that the change is allowed. */
  private void require(boolean isSet, Entry after) throws LdapOperationException {
    if (client.isAdministrator()) {
      return;
    }
    ChangeDemands.require(
        subject, client.isOwner(), client.provesOld(), directory.updating().instant());
    PasswordPolicy policy = subject.standing().policy();
    boolean isChecked = policy.changes().checkQuality() > 0 || policy.changes().inHistory() > 0;
    if (isSet && isChecked && !Objects.equals(subject.standing().name(), client.checkedBy())) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "the policy of the entry has not looked at the new password in clear text");
    }
    if (isSet && count(after) > 1) {
      throw new LdapOperationException(
          ResultCode.CONSTRAINT_VIOLATION, "an account with a password policy has one password");
    }
  }

  private static int count(Entry entry) {
    int count = 0;
    for (AttributeDescription description : entry.descriptions()) {
      List<byte[]> values = entry.values(description);
      if (values != null && SecretTypes.isPassword(description.type())) {
        count += values.size();
      }
    }
    return count;
  }

  /**
   * Adds the time of a new password for an account without a policy, which may have one later. That
   * of its last password goes with it.
   */
  private void noteTime(boolean isSet, boolean hasPassword) {
    if (!directory.passwordPolicy().alwaysNotesChange()) {
      return;
    }
    if (isSet) {
      add("pwdChangedTime", List.of(PolicyReader.valueInSeconds(directory.updating().instant())));
    } else if (!hasPassword) {
      clear("pwdChangedTime", subject.standing().state().use().changed() != null);
    }
  }

  /**
   * Adds the state that follows. A lock is lifted by whoever manages passwords, not by its owner.
   */
  private void follow(boolean isSet) {
    PasswordPolicy policy = subject.standing().policy();
    AccountState state = subject.standing().state();
    Instant now = directory.updating().instant();
    remember(policy, now);
    if (!isSet) {
      if (client.isAdministrator() && state.use().changed() != null) {
        add("pwdChangedTime", List.of());
      }
      return;
    }
    add("pwdChangedTime", List.of(PolicyReader.valueInSeconds(now)));
    clear("pwdGraceUseTime", !state.use().graceUses().isEmpty());
    clear("pwdFailureTime", !state.failures().isEmpty());
    boolean isByOther = client.isAdministrator() && !client.isOwner();
    if (client.isAdministrator()) {
      clear("pwdAccountLockedTime", state.isLockedForGood() || state.locked() != null);
      clear("pwdAccountTmpLockoutEnd", state.delayed() != null);
    }
    if (isByOther && policy.changes().mustChange()) {
      add("pwdReset", List.of("TRUE".getBytes(StandardCharsets.US_ASCII)));
    } else if (client.isOwner() || isByOther) {
      clear("pwdReset", state.use().isReset());
    }
  }

  private void remember(PasswordPolicy policy, Instant now) {
    int inHistory = policy.changes().inHistory();
    if (inHistory == 0) {
      clear("pwdHistory", !subject.history().isEmpty());
    } else if (!subject.passwords().isEmpty()) {
      add(
          "pwdHistory",
          PasswordHistory.extended(subject.history(), subject.passwords(), now, inHistory));
    }
  }

  private void clear(String name, boolean isThere) {
    if (isThere) {
      add(name, List.of());
    }
  }

  private boolean isGone(String name, Entry after) {
    AttributeDescription description = description(name);
    return description != null
        && changes.stream().anyMatch(each -> each.description().equals(description))
        && after.values(description) == null;
  }

  private void add(String name, List<byte[]> values) {
    AttributeDescription description = description(name);
    if (description != null
        && changes.stream().noneMatch(each -> each.description().equals(description))) {
      changes.add(new AttributeChange.Replaced(description, values));
    }
  }

  private @Nullable AttributeDescription description(String name) {
    AttributeType type = directory.schema().attributeType(name);
    return type == null ? null : AttributeDescription.of(type);
  }

  /**
   * Gives a new entry with a password the state that follows from its policy.
   *
   * @throws LdapOperationException unwillingToPerform if the policy has not looked at the password,
   *     and the client does not manage passwords
   */
  public static void completeNew(
      OperationContext directory, PasswordSubject subject, PasswordClient client, Entry entry)
      throws LdapOperationException {
    Dn policy = subject.standing().name();
    boolean isPoliced =
        policy != null
            && subject.standing().policy().changes().checkQuality() > 0
            && !policy.equals(client.checkedBy());
    if (isPoliced && !client.isAdministrator()) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "the policy of the entry has not looked at the password in clear text");
    }
    AttributeType type = directory.schema().attributeType("pwdChangedTime");
    boolean isNoted = policy != null || directory.passwordPolicy().alwaysNotesChange();
    if (type == null || !isNoted || subject.passwords().isEmpty()) {
      return;
    }
    AttributeDescription changed = AttributeDescription.of(type);
    if (entry.values(changed) == null) {
      entry.add(changed, PolicyReader.valueInSeconds(directory.updating().instant()));
    }
  }
}
