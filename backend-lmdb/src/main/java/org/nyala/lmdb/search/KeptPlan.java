package org.nyala.lmdb.search;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.SearchProgress;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.lmdb.posting.BlockSet;

/**
 * The state that a search keeps from slice to slice: the ranges that it has collected, how much it
 * may still look up, what is left of a block that took many look-ups, and what has turned out not
 * to pay.
 *
 * <p>State that was kept in one snapshot serves in another, but is not exact there: entries that
 * have come to match since may be missing, as they may be behind where the search is already;
 * entries that match all the time are not.
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
   * Begins with nothing, for a search in a store of so many entries.
   *
   * @param account on whose behalf; null for the server itself
   */
  public KeptPlan(PlanMemory memory, long entries, @Nullable MemoryAccount account) {
    this.charge = account == null ? null : new SteppedCharge(account);
    this.memory = memory;
    this.limits = memory.limits();
    this.keysLeft = limits.keys(entries);
    this.credit = limits.firstKeys();
  }

  /** Lets ranges be collected at once, as far as they are at all. */
  public KeptPlan unhurried() {
    credit = Long.MAX_VALUE / 2;
    return this;
  }

  /** The bounds on one search. */
  PlanLimits limits() {
    return limits;
  }

  /** A range as far as it was collected. */
  RangeWalk range(RangeKey key, long fromBlock) {
    return ranges.computeIfAbsent(key, k -> new RangeWalk(k, fromBlock));
  }

  /** Lets more keys be looked at, for entries that were examined. */
  public void earn(long entries) {
    credit += entries * limits.keysPerEntry();
  }

  /** The number of keys that may be looked at now. */
  long credit() {
    return Math.min(credit, keysLeft);
  }

  /** So many keys, or all that may still be looked at. */
  long least(long keys) {
    return Math.min(keys, keysLeft);
  }

  /** Tells whether no more keys may be looked at, ever. */
  boolean isSpent() {
    return keysLeft <= 0;
  }

  /** Pays for keys that were looked at. */
  void spend(long keys) {
    credit -= keys;
    keysLeft -= keys;
    keysLookedAt += keys;
  }

  /** The keys that were looked at, large chunks counting as several. */
  long keysLookedAt() {
    return keysLookedAt;
  }

  /** Takes memory; false when that is too much, be it for the client only. */
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

  /** Has the client's account hold what is taken. */
  private void charge() {
    if (charge != null) {
      charge.hold(takenBytes);
    }
  }

  /** Keeps what is left of a block: a set that is the search's from now on. */
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

  /** Gives away what is left of a block; null where nothing was kept of it. */
  public @Nullable BlockSet takeRest(long block) {
    BlockSet set = rest;
    rest = null;
    give(restBytes);
    restBytes = 0;
    return restBlock == block ? set : null;
  }

  /** Tells whether what was kept of a block is exact in a snapshot. */
  public boolean isExactRest(long snapshot) {
    return isExactRest && restSnapshot == snapshot;
  }

  /** Notes that all entries are looked at, to the end. */
  public void scan(boolean isExact) {
    isScan = true;
    isExactScan = isExact;
  }

  /** Tells whether all entries are looked at. */
  public boolean isScan() {
    return isScan;
  }

  /** Tells whether all entries match for certain. */
  public boolean isExactScan() {
    return isExactScan;
  }

  /** Notes that too many entries are at and below the base to look them up. */
  public void largeSubtree() {
    isLargeSubtree = true;
  }

  /** Tells whether too many entries are at and below the base to look them up. */
  public boolean isLargeSubtree() {
    return isLargeSubtree;
  }

  /** The memory that is taken. */
  long takenBytes() {
    return takenBytes;
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
