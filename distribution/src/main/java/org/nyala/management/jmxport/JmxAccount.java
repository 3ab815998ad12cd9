package org.nyala.management.jmxport;

import org.nyala.core.password.PasswordHash;

/**
 * Somebody who may come in over the JMX port.
 *
 * <p>Immutable.
 *
 * @param user the name to log in with
 * @param password what it is checked against
 * @param role what may be done
 */
public record JmxAccount(String user, PasswordHash password, JmxRole role) {}
