package org.nyala.management;

/**
 * The thresholds of alarms. Each is a configuration key of the same name.
 *
 * <p>Immutable.
 *
 * @param intervalSeconds the interval of the checks
 * @param mapFullPercent the percentage of its bound that the data file has reached
 * @param diskLowMebibytes the free space on the disk of the data below which it is low; a tenth of
 *     the disk if that is less
 * @param diskScarceMebibytes the same below which changes may be refused soon; a fiftieth of the
 *     disk if that is less
 * @param longReadSeconds the time for which a read has been open while others commit; searches are
 *     cut into slices far shorter
 * @param queueWaitMillis the time for which an operation has waited for a permit and a thread
 * @param copyLagSeconds the time for which a copy of another server has not been up to date, after
 *     failures
 */
public record WatchSettings(
    int intervalSeconds,
    int mapFullPercent,
    int diskLowMebibytes,
    int diskScarceMebibytes,
    int longReadSeconds,
    int queueWaitMillis,
    int copyLagSeconds) {
  public static final WatchSettings DEFAULT = new WatchSettings(5, 90, 2048, 256, 60, 1000, 300);
}
