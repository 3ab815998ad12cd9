package org.nyala.management;

/**
 * The thresholds of alarms. Each is a configuration key of the same name.
 *
 * <p>Immutable.
 *
 * @param intervalSeconds the interval of the checks
 * @param mapFullPercent the percentage of its bound that the data file has reached
 * @param longReadSeconds the time for which a read has been open while others commit; searches are
 *     cut into slices far shorter
 * @param queueWaitMillis the time for which an operation has waited for a permit and a thread
 */
public record WatchSettings(
    int intervalSeconds, int mapFullPercent, int longReadSeconds, int queueWaitMillis) {
  /** The defaults. */
  public static final WatchSettings DEFAULT = new WatchSettings(5, 90, 60, 1000);
}
