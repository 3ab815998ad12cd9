package org.nyala.core.backend;

/**
 * Walks the pairs of value and entry of an attribute by rising value, as its index holds them. An
 * entry comes once for every value that it has. Confined to its transaction, in which no search
 * goes on meanwhile.
 */
public interface ValueOrder {
  /**
   * As many bytes of a normalised value are compared, counted with each 0x00 written as 0x00 0xFF.
   * Values that begin with the same ones are the same here.
   */
  int COMPARED_BYTES = 256;

  /** Moves to the next pair; false when there is none. */
  boolean next();

  /** The entry of the current pair. */
  long entryId();

  /**
   * Whether the current pair has another value than the one before; for the first pair, than the
   * position that the walk began with.
   */
  boolean startsValue();

  /**
   * Where the walk is: what to begin with to go on in another transaction, where a few pairs may
   * come again.
   */
  byte[] position();
}
