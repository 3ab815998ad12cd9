package org.nyala.core.session;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.OwnedSlots;

/**
 * The place of an operation among those that wait for a slow password hash, or have it computed. It
 * makes way for another while it waits, and only then.
 *
 * <p>Belongs to the thread that has the operation, but for {@link #use} and {@link #evict}, which
 * any thread may call.
 */
final class HashTurn implements OwnedSlots.Tenant {
  private static final int WAITING = 0;
  private static final int AT_WORK = 1;

  /** It waits for something else, without a place. */
  private static final int PAUSED = 2;

  private static final int OVER = 3;
  private static final int DISPLACED = 4;

  private final Operation operation;
  private final HashQueue queue;
  private final AtomicInteger state = new AtomicInteger(OVER);
  private OwnedSlots.@Nullable Slot slot;
  private long beganNanos;

  /** Creates the turn of an operation that has no place yet. */
  HashTurn(Operation operation, HashQueue queue) {
    this.operation = operation;
    this.queue = queue;
  }

  /** Takes a place to wait in; false if there is none in which its turn would come in time. */
  boolean queuesInTime() {
    return queue.isInTime(operation.owner()) && queues();
  }

  private boolean queues() {
    state.set(WAITING);
    OwnedSlots.Slot taken = queue.slots().take(operation.owner(), this);
    slot = taken;
    return taken != null;
  }

  /** Begins a slice, unless the operation has made way: it ends then. */
  void begins() {
    if (state.compareAndSet(WAITING, AT_WORK)) {
      queue.begun();
      beganNanos = queue.nanoTime();
    } else if (state.get() == DISPLACED) {
      operation.displaced();
    }
  }

  /** Waits for the next slice in the same place. */
  void waits() {
    if (state.compareAndSet(AT_WORK, WAITING)) {
      queue.ended(beganNanos);
    }
  }

  /** Gives up the place while the operation waits for something else. */
  void pauses() {
    if (state.compareAndSet(AT_WORK, PAUSED)) {
      queue.ended(beganNanos);
      giveBack();
    }
  }

  /** Waits for the next slice after the operation was parked; false if there is no place. */
  boolean goesOn() {
    if (state.get() == PAUSED) {
      return queues();
    }
    waits();
    return true;
  }

  /** Gives up the place: nothing is left to hash. Idempotent. */
  void ends() {
    if (state.getAndSet(OVER) == AT_WORK) {
      queue.ended(beganNanos);
    }
    giveBack();
  }

  private void giveBack() {
    OwnedSlots.Slot taken = slot;
    slot = null;
    if (taken != null) {
      taken.giveBack();
    }
  }

  @Override
  public OwnedSlots.Use use() {
    return state.get() == WAITING ? OwnedSlots.Use.IDLE : OwnedSlots.Use.WORKING;
  }

  @Override
  public void evict() {
    if (state.compareAndSet(WAITING, DISPLACED)) {
      operation.displaced();
    }
  }
}
