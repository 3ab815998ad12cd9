package org.nyala.core.budget;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that one connection holds of a {@link MemoryBudget}, on behalf of an owner.
 *
 * <p>Thread-safe. Joins its owner's total when it first takes something, and leaves it with the
 * last byte once it is closed: a connection that never takes any costs nothing but this object, and
 * one that does looks up its owner once.
 */
public final class MemoryAccount {
  /** The divisor of the shares for memory that stands between requests. */
  private static final int STANDING_PART = 2;

  private final MemoryBudget budget;
  private Object ownerKey;
  private volatile @Nullable MemoryOwner owner;
  private volatile long held;
  private boolean isClosed;

  MemoryAccount(MemoryBudget budget, Object ownerKey) {
    this.budget = budget;
    this.ownerKey = ownerKey;
  }

  /**
   * Takes a number of bytes if connection, owner and whole have room.
   *
   * @return false if one has none; nothing is taken then
   */
  public boolean tryTake(long bytes) {
    return tryTake(bytes, 1, true);
  }

  /**
   * Takes the given number of bytes for memory that stands between requests, of no more than half
   * of the shares, so that the requests which end it find room.
   *
   * @return false if there is no room; nothing is taken then
   */
  public boolean tryTakeStanding(long bytes) {
    return tryTake(bytes, STANDING_PART, true);
  }

  /**
   * Takes the given number of bytes for a cache: of half of the shares as well, and nothing of the
   * reserve for small accounts.
   *
   * @return false if there is no room; nothing is taken then
   */
  public boolean tryTakeKept(long bytes) {
    return tryTake(bytes, STANDING_PART, false);
  }

  /**
   * Takes a number of bytes for an answer that is about to be made. If there is no room, the caller
   * waits; it is woken when something was given back.
   *
   * @return false if there is no room; nothing is taken then
   */
  public boolean tryReserve(long bytes) {
    if (isTaken(bytes, 1, true)) {
      return true;
    }
    budget.awaitRoom();
    return isTaken(bytes, 1, true);
  }

  /**
   * Takes a number of bytes for one piece of an answer that is beyond the connection's share, if
   * the whole has room; otherwise like {@link #tryReserve}.
   */
  public synchronized boolean tryReserveOfWhole(long bytes) {
    boolean isTaken = budget.tryTake(bytes, false);
    if (!isTaken) {
      budget.awaitRoom();
      isTaken = budget.tryTake(bytes, false);
    }
    if (isTaken) {
      MemoryOwner _ = add(bytes);
    }
    return isTaken;
  }

  /** Returns whether the given number of bytes is within the whole. */
  public boolean isWithinWhole(long bytes) {
    return bytes <= budget.common();
  }

  private boolean tryTake(long bytes, int part, boolean mayBeSmall) {
    boolean isTaken = isTaken(bytes, part, mayBeSmall);
    if (!isTaken) {
      refused();
    }
    return isTaken;
  }

  /** Counts something that is refused because it has waited for room in vain. */
  public void refused() {
    budget.refused().increment();
  }

  private synchronized boolean isTaken(long bytes, int part, boolean mayBeSmall) {
    long with = held + bytes;
    boolean isSmall = mayBeSmall && with <= MemoryBudget.SMALL_BYTES;
    if (!isSmall && with > connectionBound() / part || !budget.couldTake(bytes, isSmall)) {
      return false;
    }
    MemoryOwner joined = joined();
    boolean isTaken = joined.tryAdd(bytes, isSmall ? Long.MAX_VALUE : ownerBound() / part);
    if (isTaken && !budget.tryTake(bytes, isSmall)) {
      // The rest of the whole went to others meanwhile.
      joined.add(-bytes);
      isTaken = false;
    }
    held = isTaken ? with : held;
    leaveIfOver(joined);
    return isTaken;
  }

  /** Takes a number of bytes even without room, because they exist already. */
  public void take(long bytes) {
    synchronized (this) {
      MemoryOwner _ = add(bytes);
    }
    budget.take(bytes);
  }

  /** Gives back memory that was taken, or some of it. */
  public void giveBack(long bytes) {
    long bound = ownerBound();
    long ownerLeft;
    synchronized (this) {
      ownerLeft = add(-bytes).held();
    }
    budget.giveBack(bytes, ownerLeft < bound && ownerLeft + bytes >= bound);
  }

  /** Changes the memory held for one purpose from {@code before} bytes to {@code after}. */
  public void change(long before, long after) {
    if (after > before) {
      take(after - before);
    } else if (after < before) {
      giveBack(before - after);
    }
  }

  private MemoryOwner joined() {
    MemoryOwner joined = owner;
    if (joined == null) {
      joined = budget.join(ownerKey);
      owner = joined;
    }
    return joined;
  }

  private synchronized MemoryOwner add(long bytes) {
    MemoryOwner joined = joined();
    joined.add(bytes);
    long now = held + bytes;
    held = now;
    assert now >= 0 : "more was given back than taken";
    leaveIfOver(joined);
    return joined;
  }

  private void leaveIfOver(@Nullable MemoryOwner joined) {
    if (isClosed && held == 0 && joined != null) {
      owner = null;
      budget.leave(joined);
    }
  }

  /**
   * Detaches from the owner once nothing is held any more: the connection has ended. Memory that
   * its last operations still take and give back is counted all the same. Idempotent.
   */
  public synchronized void close() {
    isClosed = true;
    leaveIfOver(owner);
  }

  /**
   * Opens another account, for memory that outlasts the connection.
   *
   * @param ownerThen the owner at the time when the work began: the connection may have another
   *     since
   */
  public MemoryAccount openBeside(Object ownerThen) {
    return budget.open(ownerThen);
  }

  /**
   * Returns whether more requests may be read. A small account may continue even if its owner's
   * share is used up.
   */
  public boolean hasRoom() {
    long now = held;
    boolean isSmall = now < MemoryBudget.SMALL_BYTES;
    return (isSmall || now < connectionBound() && !isOwnerFull()) && budget.hasRoom(isSmall);
  }

  /** Returns whether the given number of bytes could be taken if nothing else were held. */
  public boolean couldHold(long bytes) {
    return bytes <= Math.min(connectionBound(), ownerBound());
  }

  /**
   * Returns whether the given number of bytes could be taken for standing memory if nothing else
   * were held.
   */
  public boolean couldHoldStanding(long bytes) {
    return bytes <= MemoryBudget.SMALL_BYTES || couldHold(STANDING_PART * bytes);
  }

  /** Returns whether the owner holds its share, or more. */
  public boolean isOwnerFull() {
    return ownerHeld() >= ownerBound();
  }

  /** Returns whether the owner's share has no room for a step of an answer. */
  public boolean isOwnerNearlyFull() {
    return ownerHeld() > ownerBound() - Math.min(SteppedCharge.STEP_BYTES, ownerBound() / 8);
  }

  private long connectionBound() {
    return Math.max(MemoryBudget.SMALL_BYTES, budget.bounds().connectionBytes());
  }

  private long ownerBound() {
    return Math.max(MemoryBudget.SMALL_BYTES, budget.bounds().ownerBytes());
  }

  /**
   * Opens an account of what an operation of the connection allocates.
   *
   * @param ending asks the operation to end; quick, any thread
   */
  public AllocationAccount openAllocation(Runnable ending) {
    return budget.openAllocation(ending);
  }

  /** Returns whether one operation may allocate the given number of bytes in one slice. */
  public boolean mayAllocate(long bytes) {
    return bytes - AllocationAccount.SLICE_BYTES <= budget.bounds().operationBytes();
  }

  /**
   * Counts an operation that is ended because it takes too much memory.
   *
   * @param operation describes it
   * @param connection the number of its connection
   * @param bytes the number that it has allocated
   */
  public void operationEnded(Supplier<String> operation, int connection, long bytes) {
    budget.operationEnded(operation, connection, bytes);
  }

  /** Records that there was no memory for something, in spite of all bounds. */
  public void ranOut(OutOfMemoryError cause) {
    budget.ranOut(cause);
  }

  public long held() {
    return held;
  }

  /** Returns the bytes that its owner holds: not less than {@link #held}. */
  public long ownerHeld() {
    MemoryOwner joined = owner;
    return joined == null ? 0 : joined.held();
  }

  /** Returns the owner on whose behalf it holds memory. */
  public synchronized Object owner() {
    return ownerKey;
  }

  /**
   * Moves the memory held to another owner, by {@code equals}, and takes on its behalf from now on.
   */
  public synchronized void belongTo(Object other) {
    MemoryOwner before = owner;
    boolean isSame = ownerKey.equals(other);
    ownerKey = other;
    if (before != null && !isSame) {
      MemoryOwner after = budget.join(other);
      after.add(held);
      owner = after;
      before.add(-held);
      budget.leave(before);
    }
  }
}
