package org.nyala.management;

/**
 * From when on something is wrong with a server. Each is a configuration key of the same name.
 *
 * <p>Immutable.
 *
 * @param intervalSeconds how often is looked
 * @param mapFullPercent how much of what it may grow to the data file has grown to
 * @param longReadSeconds for how long a read has been open while others commit; searches are cut
 *     into slices far shorter
 * @param queueWaitMillis how long an operation has waited for a permit and a thread
 */
public record WatchSettings(
    int intervalSeconds, int mapFullPercent, int longReadSeconds, int queueWaitMillis) {
  /** The defaults. */
  public static final WatchSettings DEFAULT = new WatchSettings(5, 90, 60, 1000);
}
