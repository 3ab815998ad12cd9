package org.nyala.netty;

import java.util.Queue;
import org.nyala.core.budget.MemoryAccount;

/**
 * A message that a worker has decoded and that holds memory.
 *
 * <p>Immutable.
 *
 * @param decoded a request, or a description of a malformed one
 * @param heldBytes the bytes taken for it, more than 0
 */
record HeldMessage(Object decoded, long heldBytes) {
  /** Returns the decoded message, whether or not it holds memory. */
  static Object decoded(Object message) {
    return message instanceof HeldMessage held ? held.decoded : message;
  }

  static long heldBytes(Object message) {
    return message instanceof HeldMessage held ? held.heldBytes : 0;
  }

  /**
   * Discards messages that will not be handled any more, and gives back the memory that they hold.
   */
  static void release(Queue<Object> messages, MemoryAccount memory) {
    for (Object message = messages.poll(); message != null; message = messages.poll()) {
      long bytes = heldBytes(message);
      if (bytes > 0) {
        memory.giveBack(bytes);
      }
    }
  }
}
