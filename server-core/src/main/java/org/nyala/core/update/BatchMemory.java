package org.nyala.core.update;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.SteppedCharge;

/**
 * The memory of the updates of one commit until they are answered: changed entries, images of them,
 * and the answers. Each update takes it from the account of its connection.
 *
 * <p>Confined to the writer's thread.
 */
final class BatchMemory {
  /**
   * The memory of the updates of one commit at which it is done: as much as a slow persistent
   * search may fall behind. No update is refused for it; further ones go into the next commit.
   */
  private static final long MOST_BYTES = MemoryBounds.cacheOf(64 << 20);

  private record Held(MemoryAccount account, SteppedCharge charge) {}

  private final List<Held> charges = new ArrayList<>(0);
  private final Set<Object> waiting = new HashSet<>(0);
  private @Nullable MemoryAccount account;
  private @Nullable SteppedCharge charge;
  private long turnBytes;
  private long bytes;
  private boolean isRefused;

  /** Begins the turn of an update. */
  void begin(Update update) {
    account = update.memory();
    charge = null;
    turnBytes = 0;
    isRefused = false;
  }

  /** Takes memory for the update that has its turn; false if there is no room for it. */
  boolean tryTake(long more) {
    SteppedCharge held = charge(turnBytes + more);
    if (held != null && !held.tryHold(turnBytes + more)) {
      isRefused = true;
      return false;
    }
    count(more);
    return true;
  }

  /** Takes memory that is in use already. */
  void take(long more) {
    SteppedCharge held = charge(turnBytes + more);
    if (held != null) {
      held.hold(turnBytes + more);
    }
    count(more);
  }

  private void count(long more) {
    turnBytes += more;
    bytes += more;
  }

  private @Nullable SteppedCharge charge(long needed) {
    MemoryAccount from = account;
    SteppedCharge known = charge;
    if (known == null && from != null && needed > SteppedCharge.STEP_BYTES) {
      known = new SteppedCharge(from);
      charge = known;
      charges.add(new Held(from, known));
    }
    return known;
  }

  /**
   * Returns whether the update found no room because of others of the same owner in the same
   * commit, and may find it once those are answered. Later updates of the owner then wait, too.
   */
  boolean isToWait() {
    MemoryAccount from = account;
    if (!isRefused || from == null) {
      return false;
    }
    Object owner = from.owner();
    for (Held held : charges) {
      if (held.charge() != charge && held.account().owner().equals(owner)) {
        waiting.add(owner);
        return true;
      }
    }
    return false;
  }

  /** Returns whether an update comes behind a waiting one of the same owner. */
  boolean isBehindOneThatWaits(Update update) {
    if (waiting.isEmpty()) {
      return false;
    }
    MemoryAccount from = update.memory();
    return from != null && waiting.contains(from.owner());
  }

  /** Returns whether there could be room for the refused update if nothing else were held. */
  boolean couldTake(long more) {
    MemoryAccount from = account;
    return from == null || from.couldHold(turnBytes + more);
  }

  /** Returns whether the commit is to be done before further updates have their turn. */
  boolean isFull() {
    return bytes >= MOST_BYTES;
  }

  /** Gives everything back. Idempotent. */
  void giveBack() {
    charges.forEach(held -> held.charge().giveBack());
    charges.clear();
    charge = null;
    account = null;
  }
}
