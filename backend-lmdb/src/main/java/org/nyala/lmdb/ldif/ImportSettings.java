package org.nyala.lmdb.ldif;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.ldif.LdifLimits;
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
    long memoryBytes,
    int threads,
    LdifLimits limits,
    String writerName,
    LmdbSettings lmdb,
    EntryBounds bounds) {
  private static final long LEAST_MEMORY = 1 << 16;

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

  /** Returns the defaults: a third of the heap, a thread for all processors but one. */
  public static ImportSettings defaults(Schema schema) {
    Runtime runtime = Runtime.getRuntime();
    return new ImportSettings(
        List.of(),
        DefaultIndexes.of(schema),
        null,
        false,
        Math.clamp(runtime.maxMemory() / 3, 32L << 20, 1L << 30),
        Math.clamp(runtime.availableProcessors() - 1, 1, 16),
        LdifLimits.DEFAULT,
        "cn=import",
        LmdbSettings.DEFAULT,
        EntryBounds.DEFAULT);
  }

  /** Returns a copy with other suffixes. */
  public ImportSettings withSuffixes(List<Dn> other) {
    return new ImportSettings(
        other,
        indexes,
        rejectFile,
        replace,
        memoryBytes,
        threads,
        limits,
        writerName,
        lmdb,
        bounds);
  }

  /** Returns a copy with other indexes. */
  public ImportSettings withIndexes(List<IndexDefinition> other) {
    return new ImportSettings(
        suffixes,
        other,
        rejectFile,
        replace,
        memoryBytes,
        threads,
        limits,
        writerName,
        lmdb,
        bounds);
  }

  /** Returns a copy with a file for rejected records. */
  public ImportSettings withRejectFile(@Nullable Path other) {
    return new ImportSettings(
        suffixes, indexes, other, replace, memoryBytes, threads, limits, writerName, lmdb, bounds);
  }

  /** Returns a copy that replaces existing data or not. */
  public ImportSettings withReplace(boolean other) {
    return new ImportSettings(
        suffixes,
        indexes,
        rejectFile,
        other,
        memoryBytes,
        threads,
        limits,
        writerName,
        lmdb,
        bounds);
  }

  /** Returns a copy with another bound on memory. */
  public ImportSettings withMemoryBytes(long other) {
    return new ImportSettings(
        suffixes, indexes, rejectFile, replace, other, threads, limits, writerName, lmdb, bounds);
  }

  /** Returns a copy with another number of threads. */
  public ImportSettings withThreads(int other) {
    return new ImportSettings(
        suffixes,
        indexes,
        rejectFile,
        replace,
        memoryBytes,
        other,
        limits,
        writerName,
        lmdb,
        bounds);
  }

  /** Returns a copy with other limits. */
  public ImportSettings withLimits(LdifLimits other) {
    return new ImportSettings(
        suffixes,
        indexes,
        rejectFile,
        replace,
        memoryBytes,
        threads,
        other,
        writerName,
        lmdb,
        bounds);
  }

  /** Returns a copy with another writer. */
  public ImportSettings withWriterName(String other) {
    return new ImportSettings(
        suffixes, indexes, rejectFile, replace, memoryBytes, threads, limits, other, lmdb, bounds);
  }

  /** Returns a copy with other settings of LMDB. */
  public ImportSettings withLmdb(LmdbSettings other) {
    return new ImportSettings(
        suffixes,
        indexes,
        rejectFile,
        replace,
        memoryBytes,
        threads,
        limits,
        writerName,
        other,
        bounds);
  }

  /** Returns a copy with other bounds of entries. */
  public ImportSettings withBounds(EntryBounds other) {
    return new ImportSettings(
        suffixes,
        indexes,
        rejectFile,
        replace,
        memoryBytes,
        threads,
        limits,
        writerName,
        lmdb,
        other);
  }
}
