package org.nyala.core.budget;

import org.jspecify.annotations.Nullable;

/**
 * The bytes that one connection holds of a {@link MemoryBudget}, on behalf of an owner.
 *
 * <p>Thread-safe. Joins its owner's total when it first takes something, and leaves it with the
 * last byte once it is closed: connections that never take cost nothing but this object, and those
 * that do look for their owner once.
 */
public final class MemoryAccount {
  /** The part of the shares that is for what stands between requests. */
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
   * Takes so many bytes, where connection, owner and whole have room.
   *
   * @return false where one has not; nothing is taken then
   */
  public boolean tryTake(long bytes) {
    return tryTake(bytes, 1, true);
  }

  /**
   * Takes so many bytes for what stands between requests, of no more than half of the shares, so
   * that the requests which end it find room.
   *
   * @return false where there is no room; nothing is taken then
   */
  public boolean tryTakeStanding(long bytes) {
    return tryTake(bytes, STANDING_PART, true);
  }

  /**
   * Takes so many bytes for what is kept only to spare work: of half of the shares as well, and
   * nothing of what is for those who hold little.
   *
   * @return false where there is no room; nothing is taken then
   */
  public boolean tryTakeKept(long bytes) {
    return tryTake(bytes, STANDING_PART, false);
  }

  private synchronized boolean tryTake(long bytes, int part, boolean mayBeSmall) {
    MemoryOwner joined = add(bytes);
    boolean isSmall = mayBeSmall && held <= MemoryBudget.SMALL_BYTES;
    boolean isWithin =
        isSmall || held <= connectionBound() / part && joined.held() <= ownerBound() / part;
    if (isWithin && budget.tryTake(bytes, isSmall)) {
      return true;
    }
    MemoryOwner _ = add(-bytes);
    budget.refused().increment();
    return false;
  }

  /** Takes so many bytes, room or not: they are there already. */
  public void take(long bytes) {
    synchronized (this) {
      MemoryOwner _ = add(bytes);
    }
    budget.take(bytes);
  }

  /** Gives back what was taken, or some of it. */
  public void giveBack(long bytes) {
    long bound = ownerBound();
    long ownerLeft;
    synchronized (this) {
      ownerLeft = add(-bytes).held();
    }
    budget.giveBack(bytes, ownerLeft < bound && ownerLeft + bytes >= bound);
  }

  /** Changes what is held for one purpose from {@code before} bytes to {@code after}. */
  public void change(long before, long after) {
    if (after > before) {
      take(after - before);
    } else if (after < before) {
      giveBack(before - after);
    }
  }

  private synchronized MemoryOwner add(long bytes) {
    MemoryOwner joined = owner;
    if (joined == null) {
      joined = budget.join(ownerKey);
      owner = joined;
    }
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
   * Leaves the owner when nothing is held any more: the connection has ended. What its last
   * operations still take and give back counts all the same. Idempotent.
   */
  public synchronized void close() {
    isClosed = true;
    leaveIfOver(owner);
  }

  /**
   * Opens another account, for what outlasts the connection.
   *
   * @param ownerThen on whose behalf the work was begun: the connection may have another since
   */
  public MemoryAccount openBeside(Object ownerThen) {
    return budget.open(ownerThen);
  }

  /** Whether more may be let come. Who holds little may go on where the owner has its share. */
  public boolean hasRoom() {
    long now = held;
    boolean isSmall = now < MemoryBudget.SMALL_BYTES;
    return (isSmall || now < connectionBound() && !isOwnerFull()) && budget.hasRoom(isSmall);
  }

  /** Whether so many bytes could be taken if nothing else were held. */
  public boolean couldHold(long bytes) {
    return bytes <= Math.min(connectionBound(), ownerBound());
  }

  /** Whether so many bytes could be taken for what stands if nothing else were held. */
  public boolean couldHoldStanding(long bytes) {
    return bytes <= MemoryBudget.SMALL_BYTES || couldHold(STANDING_PART * bytes);
  }

  /** Whether the owner holds its share, or more. */
  public boolean isOwnerFull() {
    return ownerHeld() >= ownerBound();
  }

  private long connectionBound() {
    return Math.max(MemoryBudget.SMALL_BYTES, budget.bounds().connectionBytes());
  }

  private long ownerBound() {
    return Math.max(MemoryBudget.SMALL_BYTES, budget.bounds().ownerBytes());
  }

  /** Notes that there was no memory for something, in spite of all bounds. */
  public void ranOut(OutOfMemoryError cause) {
    budget.ranOut(cause);
  }

  /** What it holds, in bytes. */
  public long held() {
    return held;
  }

  /** What its owner holds, in bytes: not less than {@link #held}. */
  public long ownerHeld() {
    MemoryOwner joined = owner;
    return joined == null ? 0 : joined.held();
  }

  /** On whose behalf it holds what it holds. */
  public synchronized Object owner() {
    return ownerKey;
  }

  /** Moves what it holds to another owner, by {@code equals}, and takes on its behalf from now. */
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
