package org.nyala.comparison;

import java.io.IOException;
import java.util.List;
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

  /** Returns the parts that the last reading could not get, in words for the summary. */
  default List<String> omissions() {
    return List.of();
  }
}
