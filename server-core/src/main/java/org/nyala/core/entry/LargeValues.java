package org.nyala.core.entry;

/**
 * The values of one attribute of one entry that are kept apart from the entry's record.
 *
 * <p>Confined to the transaction that it came from, and invalid after any change.
 */
public interface LargeValues {
  /** How many there are. */
  long count();

  /** Whether the given value, as presented, is there by the attribute's equality rule. */
  boolean contains(byte[] value);

  /** Moves before the first value. */
  void rewind();

  /** Moves to the next value, in an order of the store's own; false when there is none. */
  boolean next();

  /** A copy of the current value as presented. */
  byte[] value();
}
