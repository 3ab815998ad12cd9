package org.nyala.lmdb.search;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.SearchProgress;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.lmdb.posting.BlockSet;

/**
 * The state that a search keeps from slice to slice: the ranges that it has collected, the number
 * of look-ups that it may still make, the rest of a block that took many look-ups, and the attempts
 * that did not pay.
 *
 * <p>State that was kept in one snapshot serves in another, but is not exact there: entries that
 * have come to match since may be missing, just as they may be behind the position of the search;
 * entries that match all the time are not missing.
 *
 * <p>Confined to one running operation.
 */
public final class KeptPlan implements SearchProgress {
  private final PlanMemory memory;
  private final PlanLimits limits;
  private final @Nullable SteppedCharge charge;
  private final Map<RangeKey, RangeWalk> ranges = new HashMap<>(4);
  private long takenBytes;
  private long keysLeft;
  private long keysLookedAt;
  private long credit;

  private boolean isScan;
  private boolean isExactScan;
  private boolean isLargeSubtree;

  private @Nullable BlockSet rest;
  private long restBytes;
  private long restBlock;
  private long restSnapshot;
  private boolean isExactRest;

  /**
   * Begins with no state, for a search in a store of this many entries.
   *
   * @param account the client's account that holds the memory; null for the server itself
   */
  public KeptPlan(PlanMemory memory, long entries, @Nullable MemoryAccount account) {
    this.charge = account == null ? null : new SteppedCharge(account);
    this.memory = memory;
    this.limits = memory.limits();
    this.keysLeft = limits.keys(entries);
    this.credit = limits.firstKeys();
  }

  /** Allows ranges to be collected at once, if they are collected at all. */
  public KeptPlan unhurried() {
    credit = Long.MAX_VALUE / 2;
    return this;
  }

  /** Returns the bounds on one search. */
  PlanLimits limits() {
    return limits;
  }

  /** Returns a range as far as it was collected. */
  RangeWalk range(RangeKey key, long fromBlock) {
    return ranges.computeIfAbsent(key, k -> new RangeWalk(k, fromBlock));
  }

  /** Allows more keys to be looked at, for entries that were examined. */
  public void earn(long entries) {
    credit += entries * limits.keysPerEntry();
  }

  /** Returns the number of keys that may be looked at now. */
  long credit() {
    return Math.min(credit, keysLeft);
  }

  /** Returns this number of keys, or all that may still be looked at. */
  long least(long keys) {
    return Math.min(keys, keysLeft);
  }

  /** Returns whether the limit on keys to look at is used up for good. */
  boolean isSpent() {
    return keysLeft <= 0;
  }

  /** Subtracts keys that were looked at. */
  void spend(long keys) {
    credit -= keys;
    keysLeft -= keys;
    keysLookedAt += keys;
  }

  /** Returns the number of keys that were looked at, large chunks counting as several. */
  long keysLookedAt() {
    return keysLookedAt;
  }

  /** Takes memory; false if that is too much, even if only for the client. */
  boolean take(long bytes) {
    if (!memory.take(bytes, takenBytes)) {
      return false;
    }
    if (charge != null && !charge.tryHold(takenBytes + bytes)) {
      memory.give(bytes);
      return false;
    }
    takenBytes += bytes;
    return true;
  }

  /** Gives memory back. */
  void give(long bytes) {
    memory.give(bytes);
    takenBytes -= bytes;
    charge();
  }

  /** Charges the client's account for the memory that is taken. */
  private void charge() {
    if (charge != null) {
      charge.hold(takenBytes);
    }
  }

  /** Keeps the rest of a block: a set that belongs to the search from now on. */
  public void keepRest(BlockSet set, long block, long snapshot, boolean isExact) {
    takeRest(restBlock);
    rest = set;
    restBlock = block;
    restSnapshot = snapshot;
    isExactRest = isExact;
    // Some kibibytes, without which the block would be put together again in each slice.
    restBytes = set.bytes();
    memory.takeAnyway(restBytes);
    takenBytes += restBytes;
    charge();
  }

  /** Hands over the rest of a block; null if none of it was kept. */
  public @Nullable BlockSet takeRest(long block) {
    BlockSet set = rest;
    rest = null;
    give(restBytes);
    restBytes = 0;
    return restBlock == block ? set : null;
  }

  /** Returns whether the result kept for the rest of a block is exact in a snapshot. */
  public boolean isExactRest(long snapshot) {
    return isExactRest && restSnapshot == snapshot;
  }

  /** Notes that all entries are looked at, to the end. */
  public void scan(boolean isExact) {
    isScan = true;
    isExactScan = isExact;
  }

  /** Returns whether all entries are looked at. */
  public boolean isScan() {
    return isScan;
  }

  /** Returns whether all entries match for certain. */
  public boolean isExactScan() {
    return isExactScan;
  }

  /** Notes that too many entries are at and below the base to look them up. */
  public void largeSubtree() {
    isLargeSubtree = true;
  }

  /** Returns whether too many entries are at and below the base to look them up. */
  public boolean isLargeSubtree() {
    return isLargeSubtree;
  }

  @Override
  public void close() {
    memory.give(takenBytes);
    takenBytes = 0;
    charge();
    restBytes = 0;
    rest = null;
    ranges.clear();
    keysLeft = 0;
  }
}
