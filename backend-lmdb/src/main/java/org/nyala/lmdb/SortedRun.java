package org.nyala.lmdb;

import java.io.IOException;
import org.nyala.core.schema.ByteAppender;

/**
 * Rows of a key and a value, by rising key.
 *
 * <p>Confined to one running operation. What {@link #key()} and {@link #value()} give is borrowed
 * until the next call of {@link #next()}.
 */
interface SortedRun {
  /** Moves to the next row; false when there is none. */
  boolean next() throws IOException;

  /** The key of the current row. */
  ByteAppender key();

  /** The value of the current row. */
  ByteAppender value();
}
