package org.nyala.management;

import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

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
    @Key(usual = 5, from = 1, to = 3600) int intervalSeconds,
    @Key(usual = 90, from = 1, to = 100) int mapFullPercent,
    @Key(usual = 2048, to = 1 << 24) int diskLowMebibytes,
    @Key(usual = 256, to = 1 << 24) int diskScarceMebibytes,
    @Key(usual = 60, from = 1, to = 3600) int longReadSeconds,
    @Key(usual = 1000, from = 1, to = 60_000) int queueWaitMillis,
    @Key(usual = 300, from = 1, to = 86_400) int copyLagSeconds) {
  public static final WatchSettings DEFAULT = Keys.defaults(WatchSettings.class);
}
