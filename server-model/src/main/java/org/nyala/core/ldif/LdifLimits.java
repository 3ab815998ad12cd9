package org.nyala.core.ldif;

/**
 * The limits of the memory that an LDIF occupies in its reader.
 *
 * <p>Immutable.
 *
 * @param recordBytes the longest record in bytes as it stands in the file, at least 64
 * @param urlBytes the largest file that a {@code :< file:} value may name, in bytes
 * @param valuesPerRecord the most attribute lines of one record
 */
public record LdifLimits(int recordBytes, int urlBytes, int valuesPerRecord) {
  /** 256 MiB a record: a group of five million members; 16 MiB a file; ten million values. */
  public static final LdifLimits DEFAULT = new LdifLimits(256 << 20, 16 << 20, 10_000_000);

  /** Checks the bounds. */
  public LdifLimits {
    if (recordBytes < 64 || urlBytes < 0 || valuesPerRecord < 1) {
      throw new IllegalArgumentException(
          "recordBytes " + recordBytes + ", urlBytes " + urlBytes + ", values " + valuesPerRecord);
    }
  }
}
