package org.nyala.core.session;

import java.util.IdentityHashMap;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.message.Request;

/**
 * What the requests of one session that have not ended hold of its account. Small ones that need
 * not wait hold nothing.
 *
 * <p>Confined as its session is. Hot.
 */
final class RequestCharges {
  /** What a small request takes that waits: with its values, and what finds it. */
  private static final long WAITING_BYTES = 2048;

  private final MemoryAccount memory;
  private final IdentityHashMap<Request, Long> charges = new IdentityHashMap<>(0);

  /** Begins with none. */
  RequestCharges(MemoryAccount memory) {
    this.memory = memory;
  }

  /** Notes what was taken for a request that has come. */
  void add(Request request, long bytes) {
    if (bytes > 0) {
      charges.put(request, bytes);
    }
  }

  /** Takes what a request holds that has to wait, if nothing was taken for it. */
  void waits(Request request) {
    if (charges.putIfAbsent(request, WAITING_BYTES) == null) {
      memory.take(WAITING_BYTES);
    }
  }

  /** Gives back what a request holds that has ended, or never begins. */
  void release(Request request) {
    if (!charges.isEmpty()) {
      Long bytes = charges.remove(request);
      if (bytes != null) {
        memory.giveBack(bytes);
      }
    }
  }
}
