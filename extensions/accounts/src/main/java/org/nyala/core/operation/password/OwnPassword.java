package org.nyala.core.operation.password;

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
 * The modify by which users replace their own {@code userPassword} and nothing else, or delete the
 * present one and add another, as clients do that do not know Password Modify (RFC 3062). Users
 * that may use that may do this too.
 */
public final class OwnPassword {
  private static final int ADD = 0;
  private static final int DELETE = 1;
  private static final int REPLACE = 2;

  /** The names of the attribute in lower case. */
  private static final Set<String> NAMES = Set.of("userpassword", "2.5.4.35");

  private static final int LONGEST_NAME = 12;

  private OwnPassword() {}

  /** Returns whether a request replaces passwords by one, for any requester and any entry. */
  public static boolean isReplacedBy(Request.Modify request) {
    List<Request.Change> changes = request.changes();
    return switch (changes.size()) {
      case 1 -> isOfOnePassword(changes.getFirst(), REPLACE);
      case 2 ->
          isOfOnePassword(changes.getFirst(), DELETE) && isOfOnePassword(changes.getLast(), ADD);
      default -> false;
    };
  }

  private static boolean isOfOnePassword(Request.Change change, int kind) {
    return change.kind() == kind && change.attribute().values().size() == 1 && isNamed(change);
  }

  /** Returns whether a change is of the attribute, by any of its names and without options. */
  public static boolean isNamed(Request.Change change) {
    String attribute = change.attribute().attribute();
    return attribute.length() <= LONGEST_NAME && NAMES.contains(attribute.toLowerCase(Locale.ROOT));
  }

  /**
   * Returns whether the passwords of the request must be in clear text, and are hashed before they
   * are stored: they are from a user who may change nothing else. {@link ClearPasswords} hashes
   * them.
   *
   * @throws LdapOperationException invalidDNSyntax, unwillingToPerform for an empty password, or
   *     constraintViolation for one that is already hashed: a user must not choose its scheme and
   *     the cost of each check
   */
  public static boolean isToBeHashed(
      OperationContext directory, Request request, BoundIdentity identity)
      throws LdapOperationException {
    if (!(request instanceof Request.Modify modify) || !isReplacedBy(modify)) {
      return false;
    }
    Dn name = directory.scratch().names.parse(modify.name());
    if (!directory.updating().writeAccess().isForPasswordOnly(name, identity)) {
      return false;
    }
    for (Request.Change change : modify.changes()) {
      requireClear(change.attribute().values().getFirst());
    }
    return true;
  }

  private static void requireClear(byte[] password) throws LdapOperationException {
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
  }
}
