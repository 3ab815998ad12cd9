package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;

/** Requests of one kind, encoded beforehand. Immutable. Hot: {@link #write}. */
public interface Request {
  /**
   * Writes a request behind what the buffer holds.
   *
   * @param number whom or what it is about, at least 0
   * @param stamp at least 0, less than {@link RequestTemplate#STAMP_LIMIT}
   */
  void write(ByteBuf target, int messageId, int number, long stamp);
}
