package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.MessageSizeEstimator;

/**
 * The size of output that waits for a client: the memory of its buffers, of which the bytes in them
 * can be less than half.
 *
 * <p>Immutable. Hot.
 */
final class BufferCapacity implements MessageSizeEstimator, MessageSizeEstimator.Handle {
  static final BufferCapacity OF_BUFFERS = new BufferCapacity();

  private BufferCapacity() {}

  @Override
  public Handle newHandle() {
    return this;
  }

  @Override
  public int size(Object message) {
    return message instanceof ByteBuf bytes ? bytes.capacity() : 0;
  }
}
