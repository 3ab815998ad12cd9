package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;

/** Requests of one kind, encoded beforehand. Immutable. Hot: {@link #write}. */
public interface Request {
  /**
   * Appends a request to the buffer.
   *
   * @param number the number of the target, at least 0
   * @param stamp at least 0, less than {@link RequestTemplate#STAMP_LIMIT}
   * @param operation the number of the operation in its test, from 0 up
   */
  void write(ByteBuf target, int messageId, int number, long stamp, long operation);
}
