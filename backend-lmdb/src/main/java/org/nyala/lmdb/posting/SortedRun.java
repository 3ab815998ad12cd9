package org.nyala.lmdb.posting;

import java.io.IOException;
import org.nyala.core.bytes.ByteAppender;

/**
 * Rows of a key and a value, by rising key.
 *
 * <p>Confined to one running operation. The results of {@link #key()} and {@link #value()} are
 * borrowed until the next call of {@link #next()}.
 */
public interface SortedRun {
  /** Moves to the next row; false if there is none. */
  boolean next() throws IOException;

  /** Returns the key of the current row. */
  ByteAppender key();

  /** Returns the value of the current row. */
  ByteAppender value();
}
