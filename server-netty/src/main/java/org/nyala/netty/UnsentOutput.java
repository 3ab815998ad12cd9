package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.MessageSizeEstimator;
import org.jspecify.annotations.Nullable;

/**
 * The output of one channel that the kernel has not taken.
 *
 * <p>Confined to the channel's event loop.
 */
record UnsentOutput(Channel channel) {
  /**
   * The size of output by which a channel decides whether it is writable: the memory of buffers, of
   * which the bytes in them can be less than half.
   */
  static final MessageSizeEstimator BY_MEMORY = new MemoryOfBuffers();

  /** Stateless. Hot. */
  private static final class MemoryOfBuffers
      implements MessageSizeEstimator, MessageSizeEstimator.Handle {
    @Override
    public Handle newHandle() {
      return this;
    }

    @Override
    public int size(Object message) {
      return message instanceof ByteBuf bytes ? bytes.capacity() : 0;
    }
  }

  private @Nullable ChannelOutboundBuffer pending() {
    return channel.unsafe().outboundBuffer();
  }

  /** Returns the memory of its buffers; 0 if the channel is closed. */
  long memory() {
    ChannelOutboundBuffer pending = pending();
    return pending == null ? 0 : pending.totalPendingWriteBytes();
  }

  /** Returns its bytes, as far as they were flushed; 0 if the channel is closed. */
  long bytes() {
    ChannelOutboundBuffer pending = pending();
    if (pending == null || pending.totalPendingWriteBytes() == 0) {
      return 0;
    }
    long[] bytes = new long[1];
    try {
      pending.forEachFlushedMessage(
          message -> {
            bytes[0] += message instanceof ByteBuf waiting ? waiting.readableBytes() : 0;
            return true;
          });
    } catch (Exception e) {
      throw new IllegalStateException("the output that waits cannot be counted", e);
    }
    return bytes[0];
  }

  /** Returns a number that changes while the client reads. */
  long progress() {
    ChannelOutboundBuffer pending = pending();
    return pending == null
        ? 0
        : (long) System.identityHashCode(pending.current()) << Integer.SIZE
            | pending.currentProgress();
  }
}
