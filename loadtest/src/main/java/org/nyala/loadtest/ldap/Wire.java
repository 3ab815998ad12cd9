package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** What carries the bytes of a connection. Confined to the channel's event loop. Hot: send. */
public interface Wire {
  /** Makes the buffers of requests. */
  ByteBufAllocator allocator();

  /**
   * Sends what a buffer holds.
   *
   * @return whether all of it has left, and the buffer is empty; otherwise the buffer is not the
   *     caller's any more
   */
  boolean send(ByteBuf requests);

  /** Closes the connection. */
  void close();
}
