package org.nyala.core.operation.update;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;

/**
 * The modify by which users replace their own {@code userPassword} and nothing else, as clients do
 * that do not know Password Modify (RFC 3062). Users that may use that may do this too.
 */
final class OwnPassword {
  private static final int REPLACE = 2;

  /** The names of the attribute in lower case. */
  private static final Set<String> NAMES = Set.of("userpassword", "2.5.4.35");

  private OwnPassword() {}

  /** Returns whether a request replaces passwords by one, for any requester and any entry. */
  static boolean isReplacedBy(Request.Modify request) {
    if (request.changes().size() != 1) {
      return false;
    }
    Request.Change change = request.changes().getFirst();
    return change.kind() == REPLACE
        && change.attribute().values().size() == 1
        && NAMES.contains(change.attribute().attribute().toLowerCase(Locale.ROOT));
  }

  /**
   * Returns whether the password of the request must be hashed before it is stored: it is in clear
   * text and from a user who may change nothing else. {@link ClearPasswords} has those of others.
   *
   * @throws LdapOperationException invalidDNSyntax, unwillingToPerform for an empty password, or
   *     constraintViolation for one that is already hashed: a user must not choose its scheme and
   *     the cost of each check
   */
  static boolean isToBeHashed(OperationContext directory, Request request, BoundIdentity identity)
      throws LdapOperationException {
    if (!(request instanceof Request.Modify modify) || !isReplacedBy(modify)) {
      return false;
    }
    Dn name = directory.scratch().names.parse(modify.name());
    if (!directory.updating().writeAccess().isForPasswordOnly(name, identity)) {
      return false;
    }
    byte[] password = password(modify);
    if (password.length == 0) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "a password must not be empty");
    }
    if (PasswordHash.namesScheme(password)) {
      throw new LdapOperationException(
          ResultCode.CONSTRAINT_VIOLATION,
          "a user's own password must be sent in clear text; it is hashed before it "
              + "is stored");
    }
    return true;
  }

  /**
   * The request with the password hashed; may take long.
   *
   * @throws LdapOperationException constraintViolation for a password that cannot be hashed
   */
  static Request.Modify hashed(OperationContext directory, Request.Modify modify)
      throws LdapOperationException {
    byte[] hash = directory.updating().hash(password(modify));
    Request.AttributeValues values =
        new Request.AttributeValues(
            modify.changes().getFirst().attribute().attribute(), List.of(hash));
    return new Request.Modify(
        modify.messageId(),
        modify.name(),
        List.of(new Request.Change(REPLACE, values)),
        modify.controls());
  }

  private static byte[] password(Request.Modify modify) {
    return modify.changes().getFirst().attribute().values().getFirst();
  }
}
