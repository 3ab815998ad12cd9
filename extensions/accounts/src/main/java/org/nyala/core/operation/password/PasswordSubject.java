package org.nyala.core.operation.password;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.policy.PolicyReader.Standing;
import org.nyala.core.schema.SecretTypes;

/**
 * The entry that gets a new password, as far as its policy looks at it.
 *
 * <p>Immutable, but for the arrays, which are never written to after construction.
 *
 * @param entryId its id; 0 if a store does not hold it yet
 * @param standing its policy and its state
 * @param passwords its passwords as they are stored
 * @param history the values of its former passwords
 * @param own the values that its password must not be like
 */
public record PasswordSubject(
    long entryId,
    Standing standing,
    List<byte[]> passwords,
    List<byte[]> history,
    List<String> own) {
  /** An entry that no store holds yet, and of which nothing is known. */
  public static final PasswordSubject NONE =
      new PasswordSubject(0, Standing.NONE, List.of(), List.of(), List.of());

  private static final String HISTORY = "pwdHistory";

  /** The attributes by which a person is known. */
  private static final Set<String> NAMES =
      Set.of(
          "cn",
          "displayName",
          "employeeNumber",
          "givenName",
          "initials",
          "mail",
          "mobile",
          "o",
          "ou",
          "sn",
          "telephoneNumber",
          "title",
          "uid");

  /** The most values of an entry that a password is compared with, and their greatest length. */
  private static final int MOST = 64;

  private static final int MOST_LENGTH = 256;

  /**
   * Reads the entry that a view shows.
   *
   * @param view shows the entry
   * @param table the attributes of the view
   * @param transaction the state in which its policy is found
   */
  public static PasswordSubject read(
      OperationContext directory,
      EntryView view,
      AttributeTable table,
      ReadTransaction transaction) {
    List<byte[]> passwords = new ArrayList<>(1);
    List<byte[]> history = new ArrayList<>();
    List<String> own = new ArrayList<>();
    for (int i = 0; i < view.attributeCount(); i++) {
      AttributeDescription description = table.description(view.attributeId(i));
      if (view.isApart(i)) {
        continue;
      }
      ValueCursor values = new ValueCursor().open(view, i);
      if (SecretTypes.isPassword(description.type())) {
        addAll(values, passwords);
      } else if (description.type().name().equals(HISTORY)) {
        addAll(values, history);
      } else if (NAMES.contains(description.type().name())) {
        addTexts(values, own);
      }
    }
    // Before the policy is read, to which the view does not stay open.
    long entryId = view.id();
    Standing standing = PolicyReader.of(directory).read(view, table, transaction);
    return new PasswordSubject(entryId, standing, passwords, history, own);
  }

  /**
   * Requires of a client that does not manage passwords that it may change one now
   * (draft-behera-ldap-password-policy-11, section 8.2): before the new one is looked at, which
   * tells something about former ones, and again in the writer's turn.
   *
   * @param isOwner true if the password is the client's own
   * @param provesOld true if the client has sent the present password
   * @throws LdapOperationException insufficientAccessRights or constraintViolation, with the
   *     response control
   */
  void requireChangeable(boolean isOwner, boolean provesOld, Instant now)
      throws LdapOperationException {
    PasswordPolicy policy = standing.policy();
    if (policy.changes().safeModify() && !passwords.isEmpty() && !provesOld) {
      throw PolicyRefusal.of(
          ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
          PolicyError.MUST_SUPPLY_OLD_PASSWORD,
          "the present password has to be sent with the new one",
          null);
    }
    if (isOwner && !policy.changes().mayUsersChange()) {
      throw PolicyRefusal.of(
          ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
          PolicyError.PASSWORD_MOD_NOT_ALLOWED,
          "users do not change their own passwords here",
          null);
    }
    AccountState.Use use = standing.state().use();
    Instant changed = use.changed();
    int seconds = policy.aging().minSeconds();
    if (seconds > 0
        && changed != null
        && !use.isReset()
        && now.isBefore(changed.plusSeconds(seconds))) {
      throw PolicyRefusal.of(
          ResultCode.CONSTRAINT_VIOLATION,
          PolicyError.PASSWORD_TOO_YOUNG,
          "the password is too young to be changed",
          null);
    }
  }

  /** Returns the refusal of several passwords of an entry with a policy. */
  static LdapOperationException hasOne() {
    return new LdapOperationException(
        ResultCode.CONSTRAINT_VIOLATION, "an account with a password policy has one password");
  }

  private static void addAll(ValueCursor values, List<byte[]> all) {
    while (values.next()) {
      all.add(values.value());
    }
  }

  private static void addTexts(ValueCursor values, List<String> all) {
    while (all.size() < MOST && values.next()) {
      byte[] value = values.value();
      if (value.length <= MOST_LENGTH) {
        all.add(new String(value, StandardCharsets.UTF_8));
      }
    }
  }
}
