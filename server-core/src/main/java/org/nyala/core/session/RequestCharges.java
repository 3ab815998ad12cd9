package org.nyala.core.session;

import java.util.IdentityHashMap;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.message.Request;

/**
 * The memory that the unfinished requests of one session hold of its account. Small ones that need
 * not wait hold nothing.
 *
 * <p>Confined as its session is. Hot.
 */
final class RequestCharges {
  /** The memory of a small waiting request, with its values and the structures that find it. */
  private static final long WAITING_BYTES = 2048;

  private final MemoryAccount memory;
  private final IdentityHashMap<Request, Long> charges = new IdentityHashMap<>(0);

  /** Begins with none. */
  RequestCharges(MemoryAccount memory) {
    this.memory = memory;
  }

  /** Records the memory taken for a request that was received. */
  void add(Request request, long bytes) {
    if (bytes > 0) {
      charges.put(request, bytes);
    }
  }

  /** Takes the memory of a request that has to wait, if none was taken for it. */
  void waits(Request request) {
    if (charges.putIfAbsent(request, WAITING_BYTES) == null) {
      memory.take(WAITING_BYTES);
    }
  }

  /** Gives back the memory of a request that has ended, or never begins. */
  void release(Request request) {
    if (!charges.isEmpty()) {
      Long bytes = charges.remove(request);
      if (bytes != null) {
        memory.giveBack(bytes);
      }
    }
  }
}
