package org.nyala.core.rules;

import org.nyala.core.entry.LargeValues;

/**
 * The values of an attribute that a store keeps apart from the entry because they are very many: to
 * be asked, never to be listed.
 *
 * <p>Confined to the transaction that gave it, and invalid after any change.
 */
public interface LargeValueLookup {
  /** Returns whether a value, as presented, is present by the attribute's equality rule. */
  boolean contains(byte[] value);

  /** Returns the number of values. */
  long count();

  /** Returns a look-up in values that a store keeps apart. */
  static LargeValueLookup of(LargeValues values) {
    return new LargeValueLookup() {
      @Override
      public boolean contains(byte[] value) {
        return values.contains(value);
      }

      @Override
      public long count() {
        return values.count();
      }
    };
  }
}
