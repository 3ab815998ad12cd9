package org.nyala.lmdb.env;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

/**
 * The bounds of the journal of changes; whatever is beyond one of them is deleted, the oldest first
 * and several at once.
 *
 * <p>Immutable.
 *
 * @param changes the number of changes that it keeps, at least 1
 * @param bytes the bytes that they may take
 * @param hours the age up to which they are kept, by the newest of them
 * @param modificationBytes the bytes of the data file for the modifications that the changes
 *     consist of; 0 if these are not kept
 */
public record JournalBounds(
    @Key(name = "journalChanges", usual = 1_000_000, from = 1) int changes,
    @Key(name = "journalMebibytes", usual = 64, from = 1, to = 65_536, unit = 1 << 20) long bytes,
    @Key(name = "journalHours", usual = 168, from = 1, to = 87_600) int hours,
    long modificationBytes) {
  /**
   * A million changes, in 64 MiB, of a week: a day of twelve changes a second, and a consumer may
   * be away over a long weekend.
   */
  public static final JournalBounds DEFAULT = withModifications(new Keys.Source() {}, 0);

  /** Reads the bounds of a journal with so many bytes of modifications. */
  public static JournalBounds withModifications(Keys.Source section, long bytes) {
    return Keys.read(JournalBounds.class, section, Map.of("modificationBytes", bytes));
  }

  /** Creates the bounds of a journal without modifications. */
  public JournalBounds(int changes, long bytes, int hours) {
    this(changes, bytes, hours, 0);
  }

  /** Returns the age up to which changes are kept, in microseconds. */
  public long micros() {
    return TimeUnit.HOURS.toMicros(hours);
  }
}
