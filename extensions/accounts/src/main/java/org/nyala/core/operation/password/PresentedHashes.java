package org.nyala.core.operation.password;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;

/**
 * Finds the passwords that clients whom access rules decide about have hashed themselves: by their
 * scheme and its cost they choose what each check takes, so that they have to be managers.
 */
public final class PresentedHashes {
  private static final int DELETE = 1;

  private PresentedHashes() {}

  /**
   * Returns the attributes of a request that get such passwords, in lower case.
   *
   * @throws LdapOperationException unwillingToPerform for an empty password
   */
  public static Set<String> in(Schema schema, Request request) throws LdapOperationException {
    Set<String> found = new HashSet<>(0);
    switch (request) {
      case Request.Add add -> {
        for (Request.AttributeValues attribute : add.attributes()) {
          find(schema, attribute, found);
        }
      }
      case Request.Modify modify -> {
        for (Request.Change change : modify.changes()) {
          if (change.kind() != DELETE) {
            find(schema, change.attribute(), found);
          }
        }
      }
      default -> {}
    }
    return found;
  }

  private static void find(Schema schema, Request.AttributeValues attribute, Set<String> found)
      throws LdapOperationException {
    AttributeDescription description = AttributeDescription.parse(schema, attribute.attribute());
    if (description == null || !SecretTypes.isPassword(description.type())) {
      return;
    }
    for (byte[] value : attribute.values()) {
      if (value.length == 0) {
        throw new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM, "a password must not be empty");
      }
      if (PasswordHash.namesScheme(value)) {
        found.add(attribute.attribute().toLowerCase(Locale.ROOT));
      }
    }
  }
}
