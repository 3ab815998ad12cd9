package org.nyala.netty;

import java.util.Queue;
import org.nyala.core.budget.MemoryAccount;

/**
 * A message that a worker has decoded and that holds memory.
 *
 * <p>Immutable.
 *
 * @param decoded a request, or what is known of a malformed one
 * @param heldBytes what was taken for it, more than 0
 */
record HeldMessage(Object decoded, long heldBytes) {
  /** What was decoded, of a message that holds memory or of one that does not. */
  static Object decoded(Object message) {
    return message instanceof HeldMessage held ? held.decoded : message;
  }

  /** What a message holds. */
  static long heldBytes(Object message) {
    return message instanceof HeldMessage held ? held.heldBytes : 0;
  }

  /** Gives back what messages hold that nobody will take, and forgets them. */
  static void release(Queue<Object> messages, MemoryAccount memory) {
    for (Object message = messages.poll(); message != null; message = messages.poll()) {
      long bytes = heldBytes(message);
      if (bytes > 0) {
        memory.giveBack(bytes);
      }
    }
  }
}
