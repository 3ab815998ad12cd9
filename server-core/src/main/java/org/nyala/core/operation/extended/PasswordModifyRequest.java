package org.nyala.core.operation.extended;

import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * The value of a Password Modify request (RFC 3062, section 2).
 *
 * <p>Immutable, but for the arrays, which are never written to after construction. Never shows the
 * passwords.
 *
 * @param user the user of the password, or null for the requester
 * @param oldPassword the present password, or null
 * @param newPassword the new password, or null if the server is to generate one
 */
public record PasswordModifyRequest(
    @Nullable String user, byte @Nullable [] oldPassword, byte @Nullable [] newPassword) {
  private static final int USER = 0x80;
  private static final int OLD = 0x81;
  private static final int NEW = 0x82;

  /**
   * Reads the value.
   *
   * @param reader a reader of the value; null stands for one in which everything is absent
   * @throws LdapOperationException protocolError if it is malformed, unwillingToPerform when a
   *     password is empty
   */
  public static PasswordModifyRequest read(@Nullable BerReader reader)
      throws LdapOperationException {
    if (reader == null) {
      return new PasswordModifyRequest(null, null, null);
    }
    try {
      BerReader sequence = reader.sequence();
      byte[] user = optional(sequence, USER);
      byte[] oldPassword = optional(sequence, OLD);
      byte[] newPassword = optional(sequence, NEW);
      requireInOrder(sequence);
      sequence.skipExtensions();
      reader.requireEnd();
      requireNotEmpty(oldPassword);
      requireNotEmpty(newPassword);
      return new PasswordModifyRequest(
          user == null ? null : BerReader.lenientText(user), oldPassword, newPassword);
    } catch (InvalidBerException e) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "the value of Password Modify: " + e.getMessage());
    }
  }

  /**
   * Returns the name in an authorization identity (RFC 4513, section 5.2.1.8), or of the text
   * itself.
   *
   * @throws LdapOperationException invalidDNSyntax; unwillingToPerform for a user without a DN
   */
  public static Dn name(OperationContext directory, String user) throws LdapOperationException {
    if (user.startsWith("u:")) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "users are identified by their DNs only");
    }
    return directory
        .scratch()
        .names
        .parse(user.startsWith("dn:") ? user.substring("dn:".length()) : user);
  }

  /** An element that may name the user of the password must not be mistaken for an extension. */
  private static void requireInOrder(BerReader sequence) throws InvalidBerException {
    int tag = sequence.nextTag();
    if (tag == USER || tag == OLD || tag == NEW) {
      throw new InvalidBerException("the parts are not in their order");
    }
  }

  private static byte @Nullable [] optional(BerReader sequence, int tag)
      throws InvalidBerException {
    return sequence.nextTag() == tag ? sequence.octets(tag) : null;
  }

  private static void requireNotEmpty(byte @Nullable [] password) throws LdapOperationException {
    if (password != null && password.length == 0) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "a password must not be empty");
    }
  }

  @Override
  public String toString() {
    return "PasswordModifyRequest[user=" + user + "]";
  }
}
