package org.nyala.management.jmxport;

/**
 * The part of the places for JMX clients that one address may take, and the patience with who does
 * not log in. Each is a configuration key, {@code management.jmx} before its name.
 *
 * <p>Immutable.
 *
 * @param connectionsPerAddress connections of one address other than loopback, of which all users
 *     of the machine share the whole; 1 to {@link #CONNECTIONS}
 * @param loginSeconds for how long a connection is waited for that has not called anything: in all,
 *     as every hundred bytes that it sends give it another second
 */
public record JmxBounds(int connectionsPerAddress, int loginSeconds) {
  /** Connections of all addresses: more than people and collectors need; each takes a thread. */
  public static final int CONNECTIONS = 64;

  /**
   * A client has one to four connections, and closes by itself after 15 seconds what it does not
   * use.
   */
  public static final JmxBounds DEFAULT = new JmxBounds(16, 30);
}
