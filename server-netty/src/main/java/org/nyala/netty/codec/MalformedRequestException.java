package org.nyala.netty.codec;

import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.ResultCode;

/**
 * Reports a request that is not as RFC 4511 describes. Carries no stack trace: clients cause it.
 */
public final class MalformedRequestException extends InvalidBerException {
  private static final long serialVersionUID = 1;

  private final boolean structural;
  private final ResultCode code;

  private MalformedRequestException(boolean structural, ResultCode code, String message) {
    super(message);
    this.structural = structural;
    this.code = code;
  }

  /**
   * Creates an exception for wrong lengths or tags: the following bytes cannot be trusted, and the
   * connection ends.
   */
  static MalformedRequestException structure(String message) {
    return new MalformedRequestException(true, ResultCode.PROTOCOL_ERROR, message);
  }

  /**
   * Creates an exception for sound elements with a content that is not allowed: only the request
   * fails.
   */
  static MalformedRequestException content(String message) {
    return content(ResultCode.PROTOCOL_ERROR, message);
  }

  /**
   * Creates an exception for sound elements with a content that is not allowed: only the request
   * fails.
   */
  static MalformedRequestException content(ResultCode code, String message) {
    return new MalformedRequestException(false, code, message);
  }

  /** Returns whether the encoding itself is broken. */
  boolean isStructural() {
    return structural;
  }

  /** Returns the result code to answer with. */
  ResultCode code() {
    return code;
  }
}
