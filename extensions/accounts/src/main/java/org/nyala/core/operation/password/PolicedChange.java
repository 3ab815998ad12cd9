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
 *
 * @param subject the entry as it is, or as a client adds it
 * @param changes the changes so far
 */
public record PolicedChange(
    OperationContext directory,
    PasswordSubject subject,
    PasswordClient client,
    List<AttributeChange> changes) {
  private static final Set<String> UNLOCKED =
      Set.of("pwdAccountLockedTime", "pwdAccountTmpLockoutEnd");

  /** Begins with the changes that a client asks for. */
  public static PolicedChange of(
      OperationContext directory,
      PasswordSubject subject,
      PasswordClient client,
      List<AttributeChange> resolved) {
    return new PolicedChange(directory, subject, client, new ArrayList<>(resolved));
  }

  /** Returns whether a policy may have a part in changes. */
  public static boolean concerns(List<RequestedChange> requested) {
    for (RequestedChange change : requested) {
      if (isOfPassword(change) || UNLOCKED.contains(change.description().type().name())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfPassword(RequestedChange change) {
    return SecretTypes.isPassword(change.description().type());
  }

  private static boolean isSet(RequestedChange change) {
    return isOfPassword(change)
        && change.kind() != RequestedChange.Kind.DELETE
        && !change.values().isEmpty();
  }

  /**
   * Returns the changes of an entry with those that follow from its policy.
   *
   * @param requested the changes that the client asks for
   * @param after the entry as it is afterwards
   * @throws LdapOperationException constraintViolation or insufficientAccessRights, with the
   *     response control
   */
  public List<AttributeChange> complete(List<RequestedChange> requested, Entry after)
      throws LdapOperationException {
    int count = count(after);
    boolean isSet = requested.stream().anyMatch(PolicedChange::isSet) && count > 0;
    if (requested.stream().noneMatch(PolicedChange::isOfPassword)) {
      clear("pwdFailureTime", UNLOCKED.stream().anyMatch(name -> isGone(name, after)));
    } else if (subject.standing().name() == null) {
      noteTime(isSet, count > 0);
    } else {
      if (!client.isAdministrator()) {
        require(isSet, count);
      }
      follow(isSet);
    }
    return changes;
  }

  /** Requires of whoever does not manage passwords that the change is allowed. */
  private void require(boolean isSet, int count) throws LdapOperationException {
    subject.requireChangeable(client.isOwner(), client.provesOld(), directory.updating().instant());
    PasswordPolicy.Changes terms = subject.standing().policy().changes();
    boolean isChecked = terms.checkQuality() > 0 || terms.inHistory() > 0;
    if (isSet && isChecked && !Objects.equals(subject.standing().name(), client.checkedBy())) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "the policy of the entry has not looked at the new password in clear text");
    }
    if (isSet && count > 1) {
      throw PasswordSubject.hasOne();
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
    } else {
      boolean wasNoted = subject.standing().state().use().changed() != null;
      clear("pwdChangedTime", !hasPassword && wasNoted);
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
      clear("pwdChangedTime", client.isAdministrator() && state.use().changed() != null);
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
    } else {
      clear("pwdReset", (client.isOwner() || isByOther) && state.use().isReset());
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

  private void add(String name, List<byte[]> values) {
    AttributeDescription description = description(name);
    if (description != null && !isChanged(description)) {
      changes.add(new AttributeChange.Replaced(description, values));
    }
  }

  private boolean isGone(String name, Entry after) {
    AttributeDescription description = description(name);
    return description != null && isChanged(description) && after.values(description) == null;
  }

  private boolean isChanged(AttributeDescription description) {
    return changes.stream().anyMatch(each -> each.description().equals(description));
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
  public void completeNew(Entry entry) throws LdapOperationException {
    boolean isPoliced = subject.standing().name() != null;
    if (isPoliced
        && subject.standing().policy().changes().checkQuality() > 0
        && !Objects.equals(subject.standing().name(), client.checkedBy())
        && !client.isAdministrator()) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "the policy of the entry has not looked at the password in clear text");
    }
    boolean isNoted = isPoliced || directory.passwordPolicy().alwaysNotesChange();
    AttributeDescription changed = description("pwdChangedTime");
    if (isNoted
        && changed != null
        && !subject.passwords().isEmpty()
        && entry.values(changed) == null) {
      entry.add(changed, PolicyReader.valueInSeconds(directory.updating().instant()));
    }
  }
}
