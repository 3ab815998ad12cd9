package org.nyala.lmdb.env;

import java.util.Map;
import java.util.function.Consumer;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

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
 *     none, at most 1,048,576. Each takes 128 bytes of the heap, all of them from the start. The
 *     default, 16 MiB, is enough for all people of most directories, or for the active people of
 *     larger ones
 * @param planMemoryBytes memory for the look-up results that searches keep, for all searches
 *     together; one search may take a quarter. Ranges that do not fit are tested entry by entry. At
 *     least 64 KiB
 * @param compactionJournalBytes memory for the keys that are changed while a compaction copies the
 *     store, after which changes wait for the copy; at least 1
 * @param readerAgeSeconds the time after which exports, backups and verifications by other
 *     processes end themselves; 0 for never
 * @param journal the bounds of the journal of changes
 * @param creation whether a server makes a store without entries where there is none
 */
public record LmdbSettings(
    @Key(name = "mapSizeGiB", usual = 64, from = 1, to = 1 << 14, unit = 1 << 30) long mapSizeBytes,
    @Key(
            name = "maximumMapSizeGiB",
            usual = 1024,
            notBelow = "mapSizeBytes",
            to = 1 << 14,
            unit = 1 << 30)
        long maximumMapSizeBytes,
    int maximumReaders,
    @Key(on = true) boolean readAhead,
    boolean readOnly,
    Durability durability,
    LargeThresholds large,
    @Key(usual = 1 << 17, to = LmdbSettings.MAXIMUM_REMEMBERED_SEARCHES) int rememberedSearches,
    @Key(name = "planMemoryMebibytes", usual = 64, from = 1, to = 65_536, unit = 1 << 20)
        long planMemoryBytes,
    @Key(name = "compactionJournalMebibytes", usual = 32, from = 1, to = 16_384, unit = 1 << 20)
        long compactionJournalBytes,
    @Key(usual = 3600, from = 1, zero = "off") int readerAgeSeconds,
    JournalBounds journal,
    @Key(name = "create") Creation creation) {
  /** The largest number of remembered searches: 128 MiB. */
  public static final int MAXIMUM_REMEMBERED_SEARCHES = 1 << 20;

  /** The choice whether a server makes a store without entries where there is none. */
  public enum Creation {
    /** It does, unless it is known that there was one. */
    AUTO,
    /** It does. */
    ALWAYS,
    /** It does not. */
    NEVER
  }

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

  /**
   * The defaults: 64 GiB that may grow to 1 TiB, 256 readers, read-ahead, everything durable. A
   * range over a hundred million entries takes a quarter of the memory for plans; some 300,000 keys
   * go into the journal of a compaction, of 20,000 changes or more; in the hour of a reader, a
   * backup writes hundreds of gibibytes, and an export many millions of entries.
   */
  public static final LmdbSettings DEFAULT = read(new Keys.Source() {}, 256, JournalBounds.DEFAULT);

  /** Reads the settings of a store that is written to, and durable. */
  public static LmdbSettings read(Keys.Source section, int readers, JournalBounds journal) {
    return Keys.read(
        LmdbSettings.class,
        section,
        Map.of(
            "maximumReaders",
            readers,
            "readOnly",
            false,
            "durability",
            Durability.FULL,
            "journal",
            journal));
  }

  /** Returns a copy for opening read-only, by a tool that remembers nothing. */
  public LmdbSettings asReadOnly() {
    return with(
        draft -> {
          draft.readOnly = true;
          draft.rememberedSearches = 0;
        });
  }

  /** Returns a copy with another size of the map, and a maximum that is not less. */
  public LmdbSettings withMapSizeBytes(long bytes) {
    return with(
        draft -> {
          draft.mapSizeBytes = bytes;
          draft.maximumMapSizeBytes = Math.max(bytes, maximumMapSizeBytes);
        });
  }

  /** Returns a copy with other values of some components. */
  public LmdbSettings with(Consumer<Draft> change) {
    return Keys.with(this, new Draft(), change);
  }

  /**
   * The values of a copy that is being made.
   *
   * <p>Confined to the maker of the copy.
   */
  @SuppressWarnings("NullAway.Init")
  public static final class Draft {
    public long mapSizeBytes;
    public long maximumMapSizeBytes;
    public int maximumReaders;
    public boolean readAhead;
    public boolean readOnly;
    public Durability durability;
    public LargeThresholds large;
    public int rememberedSearches;
    public long planMemoryBytes;
    public long compactionJournalBytes;
    public int readerAgeSeconds;
    public JournalBounds journal;
    public Creation creation;

    private Draft() {}
  }
}
