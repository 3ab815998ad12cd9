package org.nyala.lmdb.posting;

import java.io.IOException;
import org.nyala.core.bytes.ByteAppender;

/**
 * Rows of a key and a value, by rising key.
 *
 * <p>Confined to one running operation. What {@link #key()} and {@link #value()} give is borrowed
 * until the next call of {@link #next()}.
 */
public interface SortedRun {
  /** Moves to the next row; false when there is none. */
  boolean next() throws IOException;

  /** The key of the current row. */
  ByteAppender key();

  /** The value of the current row. */
  ByteAppender value();
}
