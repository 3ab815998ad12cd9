package org.nyala.core.update;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.dn.Dn;

/**
 * Wakes those who read from the store what commits have changed, each at its own pace: nothing is
 * held for them.
 *
 * <p>Thread-safe.
 */
public final class CommitSignal implements ChangeListener {
  private static final System.Logger LOG = System.getLogger(CommitSignal.class.getName());

  private final OwnedSlots slots;
  private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet();

  /**
   * Creates a signal that nobody waits for.
   *
   * @param limit the number of those who may wait at most: further ones take the places of those of
   *     the owner that has most
   */
  public CommitSignal(int limit) {
    this.slots = new OwnedSlots(OwnedSlots.Kind.LOG_READERS, () -> limit);
  }

  /**
   * Begins to wait. Commits that are reported from now on wake it; one that is not may be in the
   * store already.
   *
   * @param owner the owner on whose behalf it waits
   * @param context the naming context whose changes are read
   * @param wake runs on the writer's thread; quick
   * @return null if too many wait already
   */
  public @Nullable Waiter join(Object owner, Dn context, Runnable wake) {
    Waiter waiter = new Waiter(context, wake);
    OwnedSlots.Slot slot = slots.take(owner, waiter);
    if (slot == null) {
      return null;
    }
    waiter.slot = slot;
    waiters.add(waiter);
    return waiter;
  }

  /** Returns the number of those who wait. */
  public int waiters() {
    return waiters.size();
  }

  @Override
  public void committed(List<CommittedChange> changes) {
    if (waiters.isEmpty()) {
      return;
    }
    for (CommittedChange change : changes) {
      if (!change.hasNumber()) {
        waiters.forEach(waiter -> waiter.lose(change.change().dn()));
      }
    }
    wakeAll();
  }

  /** Wakes all of them. */
  public void wakeAll() {
    for (Waiter waiter : waiters) {
      waiter.tell();
    }
  }

  /** One who waits. Thread-safe. */
  public final class Waiter implements AutoCloseable, OwnedSlots.Tenant {
    private final Dn context;
    private final Runnable wake;
    private volatile boolean isReady = true;
    private volatile boolean isLost;
    private volatile boolean isDisplaced;
    private OwnedSlots.@Nullable Slot slot;

    private Waiter(Dn context, Runnable wake) {
      this.context = context;
      this.wake = wake;
    }

    private void tell() {
      isReady = true;
      try {
        wake.run();
      } catch (Throwable e) {
        // Errors too: a fault of one must not affect the others.
        // The next commit tries again.
        LOG.log(System.Logger.Level.WARNING, "a reader cannot be woken", e);
      }
    }

    /** Notes a change without a number, of which the journal does not tell. */
    private void lose(Dn name) {
      isLost |= name.isWithin(context);
    }

    @Override
    public OwnedSlots.Use use() {
      return isReady ? OwnedSlots.Use.AWAITING_CLIENT : OwnedSlots.Use.IDLE;
    }

    @Override
    public void evict() {
      isDisplaced = true;
      tell();
    }

    /** Returns whether another client has taken its place. */
    public boolean isDisplaced() {
      return isDisplaced;
    }

    /** Returns whether entries of the naming context have changed without numbers. */
    public boolean isLost() {
      return isLost;
    }

    /** Returns whether there may be something new since the last {@link #begin}. */
    public boolean isReady() {
      return isReady;
    }

    /** Notes that the store is about to be read. */
    public void begin() {
      isReady = false;
    }

    /** Notes that there is more to read. */
    public void goOn() {
      isReady = true;
    }

    /** Ends waiting. Idempotent. */
    @Override
    public void close() {
      if (waiters.remove(this)) {
        OwnedSlots.Slot taken = slot;
        if (taken != null) {
          taken.giveBack();
        }
      }
    }
  }
}
