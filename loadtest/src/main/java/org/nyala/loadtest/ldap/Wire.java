package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** A transport of the bytes of a connection. Confined to the channel's event loop. Hot: send. */
public interface Wire {
  /** Returns the allocator of the buffers of requests. */
  ByteBufAllocator allocator();

  /**
   * Sends the content of a buffer.
   *
   * @return true if all of it has left, and the buffer is empty; otherwise the buffer does not
   *     belong to the caller any more
   */
  boolean send(ByteBuf requests);

  void close();
}
