package org.nyala.loadtest.caching;

import java.nio.file.Path;
import org.nyala.lmdb.env.StoreException;
import picocli.CommandLine.Option;

/** The options of all commands on a caching store. Set by picocli, then only read. */
final class StoreOptions {
  private static final long MOST_MEBIBYTES = 1 << 20;

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "folder of the store")
  private Path data = Path.of("");

  /* A quarter of the heap that the launcher gives by default: an import needs a third. */
  @Option(
      names = "--store-cache-mebibytes",
      paramLabel = "N",
      description =
          "size of the cache of Berkeley DB, at least 1; it is in the heap, whose size is set by"
              + " NYALA_JAVA_OPTS (default: ${DEFAULT-VALUE})")
  private long cacheMebibytes = 256;

  Path data() {
    return data;
  }

  /** Returns the size of the cache; throws {@link StoreException} if it is out of range. */
  long cacheBytes() {
    requireWithin("--store-cache-mebibytes", cacheMebibytes, 1, MOST_MEBIBYTES);
    return cacheMebibytes << 20;
  }

  /** Throws {@link StoreException} unless a number is between two others, which it may equal. */
  static void requireWithin(String option, long number, long least, long most) {
    if (number < least || number > most) {
      throw new StoreException(
          option + " must be from " + least + " to " + most + ", not " + number);
    }
  }
}
