package org.nyala.lmdb;

/**
 * How an LMDB environment is opened.
 *
 * <p>Immutable.
 *
 * @param mapSizeBytes the most that the data file may grow to; only address space, not disk, is
 *     taken. At least 1 MiB
 * @param maximumReaders threads and tools that may read at once, over all processes; at least 8
 * @param readAhead whether the operating system reads ahead; off pays where the data does not fit
 *     into memory
 * @param readOnly whether nothing is written; such an opening goes beside a running server
 * @param durability what a commit waits for
 * @param large which attributes have too many values for their entries' records
 */
public record LmdbSettings(
    long mapSizeBytes,
    int maximumReaders,
    boolean readAhead,
    boolean readOnly,
    Durability durability,
    LargeThresholds large) {

  /** What a commit waits for. */
  public enum Durability {
    /** Until everything is on disk: what was answered is never lost. */
    FULL,
    /** For nothing; {@code LmdbEnvironment.sync} makes it durable. For building a store aside. */
    NONE
  }

  /** The defaults: 64 GiB, 256 readers, read-ahead, everything durable. */
  public static final LmdbSettings DEFAULT =
      new LmdbSettings(64L << 30, 256, true, false, Durability.FULL, LargeThresholds.DEFAULT);

  /** Checks the bounds. */
  public LmdbSettings {
    if (mapSizeBytes < 1 << 20) {
      throw new IllegalArgumentException("mapSizeBytes " + mapSizeBytes + " is less than 1 MiB");
    }
    if (maximumReaders < 8 || maximumReaders > 65_536) {
      throw new IllegalArgumentException("maximumReaders " + maximumReaders + " not in 8..65536");
    }
  }

  /** The same, opened for reading only. */
  public LmdbSettings asReadOnly() {
    return new LmdbSettings(mapSizeBytes, maximumReaders, readAhead, true, durability, large);
  }

  /** The same with another bound on the data file's size. */
  public LmdbSettings withMapSizeBytes(long bytes) {
    return new LmdbSettings(bytes, maximumReaders, readAhead, readOnly, durability, large);
  }

  /** The same with another number of readers. */
  public LmdbSettings withMaximumReaders(int readers) {
    return new LmdbSettings(mapSizeBytes, readers, readAhead, readOnly, durability, large);
  }

  /** The same with another durability. */
  public LmdbSettings withDurability(Durability other) {
    return new LmdbSettings(mapSizeBytes, maximumReaders, readAhead, readOnly, other, large);
  }

  /** The same with other bounds on what is kept in records. */
  public LmdbSettings withLarge(LargeThresholds other) {
    return new LmdbSettings(mapSizeBytes, maximumReaders, readAhead, readOnly, durability, other);
  }
}
