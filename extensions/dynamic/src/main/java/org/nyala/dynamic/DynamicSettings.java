package org.nyala.dynamic;

import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

/**
 * The lifetimes of dynamic entries (RFC 2589).
 *
 * <p>Immutable.
 *
 * @param maximumTtlSeconds the longest time to live that is granted, 86400 to 31557600
 * @param minimumTtlSeconds the shortest time to live that is granted; a request for less gets this.
 *     0 for no bound
 * @param defaultTtlSeconds the time to live of new entries, at least 1
 * @param checkIntervalSeconds the interval at which expired entries are looked for, at least 1
 * @param entries the maximum number of dynamic entries in a store, at least 1: each costs some
 *     memory
 */
public record DynamicSettings(
    @Key(
            usual = DynamicSettings.LEAST_MAXIMUM_SECONDS,
            from = DynamicSettings.LEAST_MAXIMUM_SECONDS,
            to = DynamicSettings.GREATEST_MAXIMUM_SECONDS)
        int maximumTtlSeconds,
    @Key(notAbove = "defaultTtlSeconds") int minimumTtlSeconds,
    @Key(usual = DynamicSettings.LEAST_MAXIMUM_SECONDS, from = 1, notAbove = "maximumTtlSeconds")
        int defaultTtlSeconds,
    @Key(usual = 10, from = 1, to = 86_400) int checkIntervalSeconds,
    @Key(usual = 1_000_000, from = 1, to = 100_000_000) int entries) {
  /**
   * The least maximum that servers must grant when they shorten the requested time to live (RFC
   * 2589, section 4.2).
   */
  public static final int LEAST_MAXIMUM_SECONDS = 86_400;

  /** The longest time to live that there is, a year of 365.25 days (RFC 2589, section 4.1). */
  public static final int GREATEST_MAXIMUM_SECONDS = 31_557_600;

  public static final DynamicSettings DEFAULT = Keys.defaults(DynamicSettings.class);
}
