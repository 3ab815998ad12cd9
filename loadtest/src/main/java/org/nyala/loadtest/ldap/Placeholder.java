package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;

/** A text that may differ from operation to operation. Immutable. Hot: {@link #write}. */
public interface Placeholder {
  /**
   * Appends the text, in UTF-8; the same one for the same arguments.
   *
   * @param person the place of the person among all, from 0 up
   * @param operation the number of the operation in its test, from 0 up
   */
  void write(ByteBuf target, int person, long operation);

  /** Returns whether the text is a whole BER element, in the place of an octet string. */
  default boolean isElement() {
    return false;
  }
}
