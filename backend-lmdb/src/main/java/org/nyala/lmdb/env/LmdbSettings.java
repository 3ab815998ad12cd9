package org.nyala.lmdb.env;

/**
 * The settings by which an LMDB environment is opened.
 *
 * <p>Immutable.
 *
 * @param mapSizeBytes the size that the data file may reach before its map must grow, for which
 *     reads wait a moment; only address space, not disk, is taken. At least 1 MiB
 * @param maximumMapSizeBytes the largest size of the data file; not less than the map's size
 * @param maximumReaders threads and tools that may read at once, over all processes; at least 8
 * @param readAhead true if the operating system reads ahead; turning it off pays if the data does
 *     not fit into memory
 * @param readOnly true if nothing is written; such an environment may be open beside a running
 *     server
 * @param durability the point that a commit waits for
 * @param large the bounds beyond which an attribute has too many values for its entry's record
 * @param rememberedSearches the number of searches for one value that are remembered, with the
 *     address of their only entry, until something changes; rounded up to a power of two, 0 for
 *     none, at most 1,048,576. Each takes 128 bytes of the heap, all of them from the start
 * @param planMemoryBytes memory for the look-up results that searches keep, for all searches
 *     together; one search may take a quarter. Ranges that do not fit are tested entry by entry. At
 *     least 64 KiB
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
  /** The largest number of remembered searches: 128 MiB. */
  public static final int MAXIMUM_REMEMBERED_SEARCHES = 1 << 20;

  /** 16 MiB: enough for all people of most directories, or for the active people of larger ones. */
  private static final int DEFAULT_REMEMBERED_SEARCHES = 1 << 17;

  /** 64 MiB: a range over a hundred million entries takes a quarter of that. */
  private static final long DEFAULT_PLAN_MEMORY = 64L << 20;

  private static final int LEAST_PLAN_MEMORY = 64 << 10;
  private static final long DEFAULT_MAXIMUM = 1L << 40;

  /** The point that a commit waits for. */
  public enum Durability {
    /** Waits until everything is on disk: an answered change is never lost. */
    FULL,
    /**
     * Does not wait; {@code LmdbEnvironment.sync} makes it durable. For building a store in a
     * staging directory.
     */
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
   * Creates settings with the default maximum of the map's size, or the size if that is more, and
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

  /** Returns a copy for opening read-only, by a tool that remembers nothing. */
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

  /** Returns a copy with another size of the map, and a maximum that is not less. */
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

  /** Returns a copy with another bound on the data file's size. */
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

  /** Returns a copy with another number of readers. */
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

  /** Returns a copy with another durability. */
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

  /** Returns a copy with other bounds on the values kept in records. */
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

  /** Returns a copy with another number of remembered searches. */
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

  /** Returns a copy with another bound on the memory of plans. */
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
