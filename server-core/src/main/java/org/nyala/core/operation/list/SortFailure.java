package org.nyala.core.operation.list;

import org.jspecify.annotations.Nullable;
import org.nyala.core.message.ResultCode;

/**
 * The reason why results cannot be sorted (RFC 2891, section 1.2); caused by a client, hence
 * without a stack trace.
 */
final class SortFailure extends Exception {
  private static final long serialVersionUID = 1;

  private final ResultCode code;
  private final @Nullable String attribute;

  SortFailure(ResultCode code, @Nullable String attribute, String message) {
    super(message, null, false, false);
    this.code = code;
    this.attribute = attribute;
  }

  ResultCode code() {
    return code;
  }

  /** The key that stands in the way, as the client named it, or null. */
  @Nullable String attribute() {
    return attribute;
  }

  String text() {
    String message = getMessage();
    return message == null ? "" : message;
  }
}
