package org.nyala.core.operation;

import java.util.function.UnaryOperator;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.CancelOperation;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.operation.extended.PasswordModifyRequest;
import org.nyala.core.operation.extended.StartTlsOperation;
import org.nyala.core.operation.extended.WhoAmIOperation;

/**
 * The words by which slapd's log names extended operations. Stateless.
 *
 * <p>Source: the lines of slapd 2.5.13 at level {@code stats}.
 */
public final class ExtendedWords {
  /** The length of a value, in bytes, that is still looked at. */
  private static final int MAXIMUM_BYTES = 8192;

  private ExtendedWords() {}

  /** Returns whether an answer says that this server has no such operation. */
  public static boolean isUnknown(LdapResult answer) {
    return answer.code() == ResultCode.PROTOCOL_ERROR
        && answer.message().equals(ExtendedOperation.UNSUPPORTED);
  }

  /**
   * Returns the words for a request, without passwords; empty for other operations, and for one
   * whose value is malformed or longer than 8,192 bytes. Any thread.
   *
   * @param quoting puts a text of the client in quotes
   */
  public static String of(Request.Extended request, UnaryOperator<String> quoting) {
    byte[] value = request.value();
    if (value != null && value.length > MAXIMUM_BYTES) {
      return "";
    }
    try {
      return switch (request.oid()) {
        case StartTlsOperation.OID -> "STARTTLS";
        case WhoAmIOperation.OID -> "WHOAMI";
        case CancelOperation.OID -> "CANCEL msg=" + CancelOperation.cancelId(request.reader());
        case AccountControl.PASSWORD_MODIFY ->
            password(PasswordModifyRequest.read(request.reader()), quoting);
        default -> "";
      };
    } catch (LdapOperationException _) {
      // The operation refuses it in its own words.
      return "";
    }
  }

  private static String password(PasswordModifyRequest request, UnaryOperator<String> quoting) {
    String user = request.user();
    return "PASSMOD"
        + (user == null ? "" : " id=" + quoting.apply(user))
        + (request.oldPassword() == null ? "" : " old")
        + (request.newPassword() == null ? "" : " new");
  }
}
