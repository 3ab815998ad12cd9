package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;

/**
 * Whole messages for a worker to decode, one after the other, and what was taken for each.
 *
 * <p>Confined to one thread at a time.
 */
final class MessageBurst {
  private final ByteBuf bytes;
  private final long @Nullable [] held;
  private int next;

  /**
   * Takes over the bytes of messages.
   *
   * @param held what was taken for each; null where that is nothing
   */
  MessageBurst(ByteBuf bytes, long @Nullable [] held) {
    this.bytes = bytes;
    this.held = held;
  }

  /** The messages that are left. */
  ByteBuf bytes() {
    return bytes;
  }

  /** Goes past the next message, which came to {@code decoded}. */
  Object pass(Object decoded) {
    long taken = held == null ? 0 : held[next];
    next++;
    return taken > 0 ? new HeldMessage(decoded, taken) : decoded;
  }

  /** Lets go of the bytes, and of what was taken for messages that are left. */
  void release(MemoryAccount memory) {
    bytes.release();
    if (held != null) {
      for (; next < held.length; next++) {
        memory.giveBack(held[next]);
      }
    }
  }
}
