package org.nyala.comparison;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * A place that has entries, which can be read several times.
 *
 * <p>Confined to one thread.
 */
public interface EntrySource {
  /** Returns the name of the place, as it is shown. */
  String label();

  /**
   * Reads all entries that are compared.
   *
   * @throws IOException if some of them cannot be read
   */
  void read(Consumer<ComparedEntry> reader) throws IOException;
}
