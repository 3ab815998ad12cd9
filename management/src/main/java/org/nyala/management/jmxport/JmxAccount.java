package org.nyala.management.jmxport;

import org.nyala.core.password.PasswordHash;

/**
 * An account of the JMX port.
 *
 * <p>Immutable.
 *
 * @param user the name to log in with
 * @param password the hash of the password
 * @param role the rights
 */
public record JmxAccount(String user, PasswordHash password, JmxRole role) {}
