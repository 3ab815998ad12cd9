package org.nyala.lmdb.env;

import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

/**
 * The bounds at which the values of an attribute move out of line from the entry's record, and at
 * which they move back. Between the two bounds they stay where they are, so that an attribute that
 * gains and loses one value does not move each time.
 *
 * <p>Immutable.
 *
 * @param values an attribute with more values moves out; with fewer than half as many it may come
 *     back. At least 8
 * @param octets an attribute whose values, 8 or more, take more bytes moves out; with less than
 *     half it may come back. At least 1024
 */
public record LargeThresholds(
    @Key(name = "valuesInRecord", usual = 100, from = 8) int values,
    @Key(name = "valueBytesInRecord", usual = 16 << 10, from = 1024) int octets) {
  /** So few values are not worth a look-up each, however long they are. */
  private static final int FEW = 8;

  /**
   * The defaults: 100 values or 16 KiB. A change of a record rewrites it, which up to this size
   * costs no more than the pages around it.
   */
  public static final LargeThresholds DEFAULT = Keys.defaults(LargeThresholds.class);

  /** Returns whether values that are in the record move out of line. */
  public boolean isTooLarge(long count, long length) {
    return count > values || count >= FEW && length > octets;
  }

  /** Returns whether values that are out of line move into the record. */
  public boolean isSmallAgain(long count, long length) {
    return count < values / 2 && (count < FEW / 2 || length < octets / 2);
  }
}
