package org.nyala.replica;

import com.unboundid.ldap.sdk.DisconnectType;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.error.ErrorMessages;

/** The answers of a provider in words, with the way out where there is a usual one. Stateless. */
final class ProviderAnswers {
  /** The results that the SDK makes itself, of a connection that is of no use any more. */
  private static final Set<ResultCode> DEAD =
      Set.of(
          ResultCode.SERVER_DOWN,
          ResultCode.TIMEOUT,
          ResultCode.CONNECT_ERROR,
          ResultCode.LOCAL_ERROR,
          ResultCode.ENCODING_ERROR,
          ResultCode.DECODING_ERROR);

  private ProviderAnswers() {}

  /** Returns whether a result is no answer. */
  static boolean isDead(ResultCode code) {
    return DEAD.contains(code);
  }

  /** Returns whether another attempt helps only after an administrator has done something. */
  static boolean isHopeless(int code) {
    return code == ResultCode.UNWILLING_TO_PERFORM_INT_VALUE
        || code == ResultCode.INVALID_CREDENTIALS_INT_VALUE;
  }

  /** Returns the sentence of a failure. */
  static String sentence(LDAPException e, String suffix) {
    return isDead(e.getResultCode())
        ? ErrorMessages.printable(ErrorMessages.line(ErrorMessages.root(e)))
        : sentence(e.getResultCode().intValue(), e.getDiagnosticMessage(), suffix);
  }

  /**
   * Returns the sentence of a result.
   *
   * @param code the result code; {@link MessageQueue.End#FAILED} if the message says all
   * @param message the provider's text
   */
  static String sentence(int code, @Nullable String message, String suffix) {
    String text = message == null ? "" : ErrorMessages.printable(message);
    if (code == MessageQueue.End.FAILED) {
      return text;
    }
    String name = ResultCode.valueOf(code).getName() + " (" + code + ")";
    String detail = text.isEmpty() ? name : name + ", " + text;
    return switch (code) {
      case ResultCode.UNAVAILABLE_CRITICAL_EXTENSION_INT_VALUE ->
          "the provider does not offer content synchronization, for which slapd has the overlay"
              + " syncprov: "
              + detail;
      case ResultCode.NO_SUCH_OBJECT_INT_VALUE ->
          "the provider has no entry "
              + suffix
              + ", or hides it from the identity of replication.bind: "
              + detail;
      case ResultCode.INVALID_CREDENTIALS_INT_VALUE ->
          "the provider rejects the identity of replication.bind: " + detail;
      case ResultCode.INSUFFICIENT_ACCESS_RIGHTS_INT_VALUE ->
          "the identity of replication.bind may not read " + suffix + ": " + detail;
      case ResultCode.UNWILLING_TO_PERFORM_INT_VALUE -> "the provider refuses: " + detail;
      case ResultCode.BUSY_INT_VALUE -> "the provider is not ready: " + detail;
      default -> "the provider has ended the search: " + detail;
    };
  }

  /** Returns the sentence of a connection that has ended. */
  static String ended(DisconnectType type, @Nullable String message, @Nullable Throwable cause) {
    StringBuilder text = new StringBuilder("the connection has ended");
    String reason = message == null && cause != null ? ErrorMessages.line(cause) : message;
    if (reason != null) {
      text.append(": ").append(ErrorMessages.printable(reason));
    }
    if (type == DisconnectType.DECODE_ERROR) {
      text.append("; so it does after a message larger than replication.maximumMessageMebibytes");
    }
    return text.toString();
  }
}
