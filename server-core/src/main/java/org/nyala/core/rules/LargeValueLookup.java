package org.nyala.core.rules;

/**
 * The values of an attribute that a store keeps apart from the entry because they are very many: to
 * be asked, never to be listed.
 *
 * <p>Confined to the transaction that gave it, and invalid after any change.
 */
public interface LargeValueLookup {
  /** Returns whether a value, as presented, is present by the attribute's equality rule. */
  boolean contains(byte[] value);

  long count();
}
