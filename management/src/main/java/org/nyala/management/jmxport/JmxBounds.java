package org.nyala.management.jmxport;

import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

/**
 * The share of JMX connections that one address may have, and the time-out of logins. Each is a
 * configuration key, {@code management.jmx} before its name.
 *
 * <p>Immutable.
 *
 * @param connectionsPerAddress connections of one address other than loopback, where all users of
 *     the machine share the whole number; 1 to {@link #CONNECTIONS}
 * @param loginSeconds the total time for a connection without a call; every hundred bytes that it
 *     sends add a second
 */
public record JmxBounds(
    @Key(name = "jmxConnectionsPerAddress", usual = 16, from = 1, to = JmxBounds.CONNECTIONS)
        int connectionsPerAddress,
    @Key(name = "jmxLoginSeconds", usual = 30, from = 1, to = 3600) int loginSeconds) {
  /**
   * The connections of all addresses: more than people and collectors need; each takes a thread.
   */
  public static final int CONNECTIONS = 64;

  /**
   * The defaults. A client has one to four connections, and closes unused ones by itself after 15
   * seconds.
   */
  public static final JmxBounds DEFAULT = Keys.defaults(JmxBounds.class);
}
