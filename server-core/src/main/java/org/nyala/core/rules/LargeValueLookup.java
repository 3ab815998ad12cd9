package org.nyala.core.rules;

import org.nyala.core.entry.LargeValues;

/**
 * The values of an attribute that a store keeps apart from the entry because they are very many: to
 * be asked, never to be listed.
 *
 * <p>Confined to the transaction that gave it, and invalid after any change.
 */
public interface LargeValueLookup {
  /** Whether a value, as presented, is there by the attribute's equality rule. */
  boolean contains(byte[] value);

  /** How many values there are. */
  long count();

  /** What a store keeps apart. */
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
