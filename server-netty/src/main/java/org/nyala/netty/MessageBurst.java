package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;

/**
 * Whole messages for a worker to decode, one after the other, with the memory taken for each.
 *
 * <p>Confined to one thread at a time.
 */
final class MessageBurst {
  private final ByteBuf bytes;
  private final long heldBytes;
  private final long @Nullable [] held;
  private int next;

  /**
   * Takes over the bytes of messages.
   *
   * @param heldBytes the memory taken for the bytes themselves; 0 for none
   * @param held the bytes taken for each; null if none were taken
   */
  MessageBurst(ByteBuf bytes, long heldBytes, long @Nullable [] held) {
    this.bytes = bytes;
    this.heldBytes = heldBytes;
    this.held = held;
  }

  /** Returns the messages that are left. */
  ByteBuf bytes() {
    return bytes;
  }

  /** Returns the memory taken for the next message. */
  long heldByNext() {
    return held == null ? 0 : held[next];
  }

  /** Moves past the next message, which was decoded to {@code decoded}. */
  Object pass(Object decoded) {
    long taken = heldByNext();
    next++;
    return taken > 0 ? new HeldMessage(decoded, taken) : decoded;
  }

  /** Releases the bytes, and the memory taken for messages that are left. */
  void release(MemoryAccount memory) {
    bytes.release();
    if (heldBytes > 0) {
      memory.giveBack(heldBytes);
    }
    if (held != null) {
      for (; next < held.length; next++) {
        memory.giveBack(held[next]);
      }
    }
  }
}
