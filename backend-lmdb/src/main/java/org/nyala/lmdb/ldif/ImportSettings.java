package org.nyala.lmdb.ldif;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.ldif.LdifLimits;
import org.nyala.core.limits.Keys;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.DefaultIndexes;
import org.nyala.lmdb.format.IndexDefinition;

/**
 * The settings of an import.
 *
 * <p>Immutable.
 *
 * @param suffixes the DNs where naming contexts may begin; empty for the first DN of the input
 * @param indexes the indexes of the store
 * @param rejectFile the file for rejected records; null for none
 * @param replace true if existing data is replaced
 * @param discardsOld true if data that is replaced is not kept
 * @param maximumRejectedPercent the share of rejected records beyond which existing data is not
 *     replaced
 * @param memoryBytes memory for gathering names and index keys, at least 64 KiB; what exceeds it is
 *     sorted through files
 * @param threads threads that parse and check, 1 to 64
 * @param limits the limits of a record
 * @param writerName the DN written as creatorsName and modifiersName if those are absent
 * @param lmdb the settings by which the store is opened
 * @param bounds the bounds of entries on the server that serves the data
 */
public record ImportSettings(
    List<Dn> suffixes,
    List<IndexDefinition> indexes,
    @Nullable Path rejectFile,
    boolean replace,
    boolean discardsOld,
    int maximumRejectedPercent,
    long memoryBytes,
    int threads,
    LdifLimits limits,
    String writerName,
    LmdbSettings lmdb,
    EntryBounds bounds) {
  private static final long LEAST_MEMORY = 1 << 16;

  /** The most rejections, in percent: more mean a wrong schema, or only a part of the data. */
  public static final int MAXIMUM_REJECTED_PERCENT = 10;

  /**
   * Checks the bounds and copies the lists.
   *
   * @throws StoreException if a suffix is within another one or an attribute is indexed twice
   */
  public ImportSettings {
    suffixes = suffixes.stream().distinct().toList();
    indexes = List.copyOf(indexes);
    checkSuffixes(suffixes);
    checkIndexes(indexes);
    if (memoryBytes < LEAST_MEMORY) {
      throw new IllegalArgumentException("memoryBytes " + memoryBytes);
    }
    if (threads < 1 || threads > 64) {
      throw new IllegalArgumentException("threads " + threads + " not in 1..64");
    }
  }

  private static void checkSuffixes(List<Dn> suffixes) {
    for (Dn inner : suffixes) {
      for (Dn outer : suffixes) {
        if (inner != outer && inner.isWithin(outer)) {
          throw new StoreException(
              "the suffix "
                  + inner
                  + " is within the suffix "
                  + outer
                  + ": name the outer one only");
        }
      }
    }
  }

  private static void checkIndexes(List<IndexDefinition> indexes) {
    Set<AttributeType> types = new HashSet<>();
    for (IndexDefinition index : indexes) {
      if (!types.add(index.type())) {
        throw new StoreException(
            index.type() + " has two index definitions: name all its kinds in one");
      }
    }
  }

  /**
   * Returns the defaults: a third of the heap, a thread for each processor. The one that stores has
   * a third of a processor to spare on a machine with two.
   */
  public static ImportSettings defaults(Schema schema) {
    Runtime runtime = Runtime.getRuntime();
    return new ImportSettings(
        List.of(),
        DefaultIndexes.of(schema),
        null,
        false,
        false,
        MAXIMUM_REJECTED_PERCENT,
        Math.clamp(runtime.maxMemory() / 3, 32L << 20, 1L << 30),
        Math.clamp(runtime.availableProcessors(), 1, 16),
        LdifLimits.DEFAULT,
        "cn=import",
        LmdbSettings.DEFAULT,
        EntryBounds.DEFAULT);
  }

  /** Returns a copy with other values of some components. */
  public ImportSettings with(Consumer<Draft> change) {
    return Keys.with(this, new Draft(), change);
  }

  /**
   * The values of a copy that is being made.
   *
   * <p>Confined to the maker of the copy.
   */
  @SuppressWarnings("NullAway.Init")
  public static final class Draft {
    public List<Dn> suffixes;
    public List<IndexDefinition> indexes;
    public @Nullable Path rejectFile;
    public boolean replace;
    public boolean discardsOld;
    public int maximumRejectedPercent;
    public long memoryBytes;
    public int threads;
    public LdifLimits limits;
    public String writerName;
    public LmdbSettings lmdb;
    public EntryBounds bounds;

    private Draft() {}
  }
}
