package org.nyala.lmdb.env;

/**
 * How an LMDB environment is opened.
 *
 * <p>Immutable.
 *
 * @param mapSizeBytes how large the data file may get before the map of it must grow, for which
 *     reads wait a moment; only address space, not disk, is taken. At least 1 MiB
 * @param maximumMapSizeBytes the most that the data file may grow to; not less than the map's size
 * @param maximumReaders threads and tools that may read at once, over all processes; at least 8
 * @param readAhead whether the operating system reads ahead; off pays where the data does not fit
 *     into memory
 * @param readOnly whether nothing is written; such an opening goes beside a running server
 * @param durability what a commit waits for
 * @param large which attributes have too many values for their entries' records
 * @param rememberedSearches how many searches for one value are remembered, with where their only
 *     entry is, until something changes; rounded up to a power of two, 0 for none, at most
 *     1,048,576. Each takes 128 bytes of the heap, all of them from the start
 * @param planMemoryBytes memory of what searches have looked up and keep, of all of them together;
 *     one may take a quarter. Ranges that do not fit are tested entry by entry. At least 64 KiB
 */
public record LmdbSettings(
    long mapSizeBytes,
    long maximumMapSizeBytes,
    int maximumReaders,
    boolean readAhead,
    boolean readOnly,
    Durability durability,
    LargeThresholds large,
    int rememberedSearches,
    long planMemoryBytes) {
  /** The most searches that may be remembered: 128 MiB. */
  public static final int MAXIMUM_REMEMBERED_SEARCHES = 1 << 20;

  /** 16 MiB: for the people of most directories, or those of larger ones who are active. */
  private static final int DEFAULT_REMEMBERED_SEARCHES = 1 << 17;

  /** 64 MiB: a range over a hundred million entries takes a quarter of that. */
  private static final long DEFAULT_PLAN_MEMORY = 64L << 20;

  private static final int LEAST_PLAN_MEMORY = 64 << 10;
  private static final long DEFAULT_MAXIMUM = 1L << 40;

  /** What a commit waits for. */
  public enum Durability {
    /** Until everything is on disk: what was answered is never lost. */
    FULL,
    /** For nothing; {@code LmdbEnvironment.sync} makes it durable. For building a store aside. */
    NONE
  }

  /** The defaults: 64 GiB that may grow to 1 TiB, 256 readers, read-ahead, everything durable. */
  public static final LmdbSettings DEFAULT =
      new LmdbSettings(64L << 30, 256, true, false, Durability.FULL, LargeThresholds.DEFAULT);

  /** Checks the bounds. */
  public LmdbSettings {
    if (mapSizeBytes < 1 << 20) {
      throw new IllegalArgumentException("mapSizeBytes " + mapSizeBytes + " is less than 1 MiB");
    }
    if (maximumMapSizeBytes < mapSizeBytes) {
      throw new IllegalArgumentException(
          "maximumMapSizeBytes " + maximumMapSizeBytes + " is less than " + mapSizeBytes);
    }
    if (maximumReaders < 8 || maximumReaders > 65_536) {
      throw new IllegalArgumentException("maximumReaders " + maximumReaders + " not in 8..65536");
    }
    if (rememberedSearches < 0 || rememberedSearches > MAXIMUM_REMEMBERED_SEARCHES) {
      throw new IllegalArgumentException(
          "rememberedSearches " + rememberedSearches + " not in 0.." + MAXIMUM_REMEMBERED_SEARCHES);
    }
    if (planMemoryBytes < LEAST_PLAN_MEMORY) {
      throw new IllegalArgumentException(
          "planMemoryBytes " + planMemoryBytes + " is less than 64 KiB");
    }
  }

  /**
   * The settings with the default maximum of the map's size, or the size where that is more, and
   * the defaults for remembered searches and the memory of plans.
   */
  public LmdbSettings(
      long mapSizeBytes,
      int maximumReaders,
      boolean readAhead,
      boolean readOnly,
      Durability durability,
      LargeThresholds large) {
    this(
        mapSizeBytes,
        Math.max(mapSizeBytes, DEFAULT_MAXIMUM),
        maximumReaders,
        readAhead,
        readOnly,
        durability,
        large,
        DEFAULT_REMEMBERED_SEARCHES,
        DEFAULT_PLAN_MEMORY);
  }

  /** The same, opened for reading only, by a tool that remembers nothing. */
  public LmdbSettings asReadOnly() {
    return new LmdbSettings(
        mapSizeBytes,
        maximumMapSizeBytes,
        maximumReaders,
        readAhead,
        true,
        durability,
        large,
        0,
        planMemoryBytes);
  }

  /** The same with another size of the map, and a maximum that is not less. */
  public LmdbSettings withMapSizeBytes(long bytes) {
    long maximum = Math.max(bytes, maximumMapSizeBytes);
    return new LmdbSettings(
        bytes,
        maximum,
        maximumReaders,
        readAhead,
        readOnly,
        durability,
        large,
        rememberedSearches,
        planMemoryBytes);
  }

  /** The same with another bound on the data file's size. */
  public LmdbSettings withMaximumMapSizeBytes(long bytes) {
    return new LmdbSettings(
        mapSizeBytes,
        bytes,
        maximumReaders,
        readAhead,
        readOnly,
        durability,
        large,
        rememberedSearches,
        planMemoryBytes);
  }

  /** The same with another number of readers. */
  public LmdbSettings withMaximumReaders(int readers) {
    return new LmdbSettings(
        mapSizeBytes,
        maximumMapSizeBytes,
        readers,
        readAhead,
        readOnly,
        durability,
        large,
        rememberedSearches,
        planMemoryBytes);
  }

  /** The same with another durability. */
  public LmdbSettings withDurability(Durability other) {
    return new LmdbSettings(
        mapSizeBytes,
        maximumMapSizeBytes,
        maximumReaders,
        readAhead,
        readOnly,
        other,
        large,
        rememberedSearches,
        planMemoryBytes);
  }

  /** The same with other bounds on what is kept in records. */
  public LmdbSettings withLarge(LargeThresholds other) {
    return new LmdbSettings(
        mapSizeBytes,
        maximumMapSizeBytes,
        maximumReaders,
        readAhead,
        readOnly,
        durability,
        other,
        rememberedSearches,
        planMemoryBytes);
  }

  /** The same with another number of remembered searches. */
  public LmdbSettings withRememberedSearches(int searches) {
    return new LmdbSettings(
        mapSizeBytes,
        maximumMapSizeBytes,
        maximumReaders,
        readAhead,
        readOnly,
        durability,
        large,
        searches,
        planMemoryBytes);
  }

  /** The same with another bound on the memory of plans. */
  public LmdbSettings withPlanMemoryBytes(long bytes) {
    return new LmdbSettings(
        mapSizeBytes,
        maximumMapSizeBytes,
        maximumReaders,
        readAhead,
        readOnly,
        durability,
        large,
        rememberedSearches,
        bytes);
  }
}
