package org.nyala.core.backend;

/**
 * Walks the pairs of value and entry of an attribute by rising value, as its index holds them. An
 * entry comes once for every value that it has. Confined to its transaction, in which no search
 * goes on meanwhile.
 */
public interface ValueOrder {
  /**
   * The number of bytes of a normalised value that are compared, counted with each 0x00 written as
   * 0x00 0xFF. Values that begin with the same ones are the same here.
   */
  int COMPARED_BYTES = 256;

  /** Moves to the next pair; false if there is none. */
  boolean next();

  /** The entry of the current pair. */
  long entryId();

  /**
   * Returns whether the value of the current pair differs from that of the previous pair; for the
   * first pair, from that of the position at which the walk began.
   */
  boolean startsValue();

  /**
   * Returns the position of the walk, from which another transaction can continue; a few pairs may
   * be repeated.
   */
  byte[] position();
}
