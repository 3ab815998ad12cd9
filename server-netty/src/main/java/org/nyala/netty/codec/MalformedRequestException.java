package org.nyala.netty.codec;

import org.nyala.core.message.ResultCode;

/** A request that is not what RFC 4511 describes. Carries no stack trace: clients cause it. */
public final class MalformedRequestException extends Exception {
  private static final long serialVersionUID = 1;

  private final boolean structural;
  private final ResultCode code;

  private MalformedRequestException(boolean structural, ResultCode code, String message) {
    super(message, null, false, false);
    this.structural = structural;
    this.code = code;
  }

  /** Lengths or tags are wrong: what follows cannot be trusted, and the connection ends. */
  static MalformedRequestException structure(String message) {
    return new MalformedRequestException(true, ResultCode.PROTOCOL_ERROR, message);
  }

  /** The elements are sound but say something that is not allowed: the request alone fails. */
  static MalformedRequestException content(String message) {
    return content(ResultCode.PROTOCOL_ERROR, message);
  }

  /** The elements are sound but say something that is not allowed: the request alone fails. */
  static MalformedRequestException content(ResultCode code, String message) {
    return new MalformedRequestException(false, code, message);
  }

  /** The request is well-formed, but larger than the server takes: the request alone fails. */
  static MalformedRequestException beyondLimit(String message) {
    return content(ResultCode.ADMIN_LIMIT_EXCEEDED, message);
  }

  /** Whether the encoding itself is broken. */
  boolean isStructural() {
    return structural;
  }

  /** What to answer. */
  ResultCode code() {
    return code;
  }
}
