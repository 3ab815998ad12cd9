package org.nyala.core.operation.password;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;

/**
 * The passwords in adds and modifies as their clients send them: in clear text, or hashed by the
 * client. Stateless.
 *
 * <p>By a modify that replaces their own {@code userPassword} and nothing else, or deletes the
 * present one and adds another, users change it with clients that do not know Password Modify (RFC
 * 3062). Users that may use that may do this too.
 */
public final class SentPasswords {
  static final int ADD = 0;
  static final int DELETE = 1;
  static final int REPLACE = 2;

  /** The names of {@code userPassword} in lower case. */
  private static final Set<String> NAMES = Set.of("userpassword", "2.5.4.35");

  private static final int LONGEST_NAME = 12;

  private SentPasswords() {}

  /**
   * The passwords of one attribute of an add, or of one change of a modify. Immutable.
   *
   * @param list the number of the attribute or change
   * @param kind the kind of the change
   */
  record Sent(
      int list, int kind, AttributeDescription description, Request.AttributeValues attribute) {
    List<byte[]> values() {
      return attribute.values();
    }
  }

  /** Returns the attributes and changes of a request that are about passwords. */
  static List<Sent> in(Schema schema, Request request) {
    List<Sent> found = new ArrayList<>(0);
    switch (request) {
      case Request.Add add -> {
        for (int i = 0; i < add.attributes().size(); i++) {
          find(schema, i, ADD, add.attributes().get(i), found);
        }
      }
      case Request.Modify modify -> {
        for (int i = 0; i < modify.changes().size(); i++) {
          Request.Change change = modify.changes().get(i);
          find(schema, i, change.kind(), change.attribute(), found);
        }
      }
      default -> {}
    }
    return found;
  }

  private static void find(
      Schema schema, int list, int kind, Request.AttributeValues attribute, List<Sent> found) {
    AttributeDescription description = AttributeDescription.parse(schema, attribute.attribute());
    if (description != null && SecretTypes.isPassword(description.type())) {
      found.add(new Sent(list, kind, description, attribute));
    }
  }

  /**
   * Returns the attributes of a request that get passwords that the client has hashed itself, in
   * lower case. Clients whom access rules decide about choose, by their scheme and its cost, what
   * each check takes, so that they have to be managers.
   *
   * @throws LdapOperationException unwillingToPerform for an empty password
   */
  public static Set<String> hashedBefore(Schema schema, Request request)
      throws LdapOperationException {
    Set<String> found = new HashSet<>(0);
    for (Sent sent : in(schema, request)) {
      for (byte[] value : sent.kind() == DELETE ? List.<byte[]>of() : sent.values()) {
        requireValue(value);
        if (PasswordHash.namesScheme(value)) {
          found.add(sent.attribute().attribute().toLowerCase(Locale.ROOT));
        }
      }
    }
    return found;
  }

  private static void requireValue(byte[] password) throws LdapOperationException {
    if (password.length == 0) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "a password must not be empty");
    }
  }

  /** Returns whether a request replaces passwords by one, for any requester and any entry. */
  public static boolean replacesOne(Request.Modify request) {
    List<Request.Change> changes = request.changes();
    return switch (changes.size()) {
      case 1 -> isOfOne(changes.getFirst(), REPLACE);
      case 2 -> isOfOne(changes.getFirst(), DELETE) && isOfOne(changes.getLast(), ADD);
      default -> false;
    };
  }

  private static boolean isOfOne(Request.Change change, int kind) {
    return change.kind() == kind && change.attribute().values().size() == 1 && isNamed(change);
  }

  /** Returns whether a change is of userPassword, by any of its names and without options. */
  static boolean isNamed(Request.Change change) {
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
  public static boolean isOwn(OperationContext directory, Request request, BoundIdentity identity)
      throws LdapOperationException {
    if (!(request instanceof Request.Modify modify) || !replacesOne(modify)) {
      return false;
    }
    Dn name = directory.scratch().names.parse(modify.name());
    if (!directory.updating().writeAccess().isForPasswordOnly(name, identity)) {
      return false;
    }
    for (Request.Change change : modify.changes()) {
      byte[] password = change.attribute().values().getFirst();
      requireValue(password);
      if (PasswordHash.namesScheme(password)) {
        throw new LdapOperationException(
            ResultCode.CONSTRAINT_VIOLATION,
            "a user's own password must be sent in clear text; it is hashed before it "
                + "is stored");
      }
    }
    return true;
  }
}
