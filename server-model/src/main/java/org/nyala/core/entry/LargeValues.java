package org.nyala.core.entry;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The values of one attribute of one entry that are kept apart from the entry's record.
 *
 * <p>Confined to the transaction that it came from, and invalid after any change.
 */
public interface LargeValues {
  /**
   * The source of the values that records lack. Confined to the transaction that fills the views.
   */
  @FunctionalInterface
  interface Source {
    /**
     * The values of the attribute at {@code index} of an entry with {@link EntryRecord#LARGE}, when
     * they are kept apart; else null. Leaves views where they are; borrowed until the next call.
     */
    @Nullable LargeValues largeValues(EntryView view, int index);
  }

  /** Returns the number of values. Costs one look-up, however many there are. */
  long count();

  /** Length in bytes of all values, each as a BER {@code OCTET STRING}. As cheap as the count. */
  long octets();

  /** Returns whether the given value, as presented, is present by the attribute's equality rule. */
  boolean contains(byte[] value);

  /**
   * Returns whether a value of the given normal form, by the attribute's equality rule, is present.
   */
  boolean containsNormalized(byte[] normalized);

  /** Moves before the first value. */
  void rewind();

  /** Moves to the next value, in an order of the store's own; false if there is none. */
  boolean next();

  /** Returns a copy of the key that identifies the current value, in the store's own form. */
  byte[] key();

  /** Moves before the value of this key, or before the next one if there is none. */
  void goTo(byte[] key);

  /** The buffer that holds the current value. Borrowed until the next call. */
  ByteBuffer buffer();

  /** Returns the index in {@link #buffer()} at which the current value begins. */
  int start();

  /** Length of the current value in bytes. */
  int length();

  /** A copy of the current value as presented. */
  default byte[] value() {
    byte[] value = new byte[length()];
    buffer().get(start(), value);
    return value;
  }
}
