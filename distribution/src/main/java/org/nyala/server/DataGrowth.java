package org.nyala.server;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;

/**
 * The growth of data between two moments, as a finding about the disk.
 *
 * <p>Immutable.
 *
 * @param bytes the bytes by which they have grown; 0 or less if they have not
 * @param time the time between
 * @param diskFreeBytes the free space of the disk now; -1 if it is not known
 */
public record DataGrowth(long bytes, Duration time, long diskFreeBytes) {
  /** The time before which growth is no measure. */
  private static final Duration LEAST_TIME = Duration.ofDays(1);

  /** The days of free space that are worth a warning. */
  private static final long FEW_DAYS = 30;

  private static final int MEBIBYTE_SHIFT = 20;

  /**
   * Returns the finding; nothing if there was no growth, or it is not known.
   *
   * @param what the beginning of a sentence: what has grown
   * @param when the words after the time
   */
  public Optional<Finding> finding(String what, String when) {
    if (time.compareTo(LEAST_TIME) < 0 || bytes <= 0 || diskFreeBytes < 0) {
      return Optional.empty();
    }
    double days = (double) time.toSeconds() / Duration.ofDays(1).toSeconds();
    long left = (long) (diskFreeBytes / (bytes / days));
    String sentence =
        String.format(
            Locale.ROOT,
            "%s by %d MiB in %.1f days, %s: at that rate the free space lasts for %d days",
            what,
            bytes >> MEBIBYTE_SHIFT,
            days,
            when,
            left);
    return Optional.of(
        left < FEW_DAYS
            ? new Finding(Weight.WARNING, "disk", sentence, "df -h")
            : new Finding(Weight.OK, "disk", sentence, ""));
  }
}
