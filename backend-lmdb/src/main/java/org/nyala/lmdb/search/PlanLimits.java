package org.nyala.lmdb.search;

/**
 * The bounds on the look-ups of one search.
 *
 * <p>Immutable.
 *
 * @param firstKeys index keys of ranges that are looked at before any entry was examined
 * @param keysPerEntry keys that are looked at for each entry examined since: a key costs less than
 *     an eighth of an entry, so that looking at keys never takes more than the entries do
 * @param stepKeys keys that are looked at between two looks at the clock
 * @param burstKeys keys that are looked at in one go if changes keep interrupting: a walk that
 *     begins again each time would never end. Some milliseconds
 * @param leastKeys keys that may be looked at in all in small stores
 * @param storeShare divides the number of entries: the quotient is the number of keys that may be
 *     looked at in all. A larger range is served as well by looking at the entries, and the attempt
 *     has cost a twentieth of that
 * @param stepLookups look-ups of values for one block after which the clock is looked at, and the
 *     block is kept for the next slice
 * @param lookups look-ups of values of one plan; parts that need more are tested
 */
public record PlanLimits(
    int firstKeys,
    int keysPerEntry,
    int stepKeys,
    int burstKeys,
    int leastKeys,
    int storeShare,
    int stepLookups,
    int lookups) {
  /** The default bounds on searches. */
  public static final PlanLimits DEFAULT =
      new PlanLimits(4096, 8, 1024, 32_768, 4096, 4, 256, 16_384);

  /** Returns the number of keys that a search may look at in a store of this many entries. */
  long keys(long entries) {
    return Math.max(leastKeys, entries / storeShare);
  }
}
