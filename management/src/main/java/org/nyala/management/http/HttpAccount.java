package org.nyala.management.http;

import org.nyala.core.password.PasswordHash;

/**
 * The account of the HTTP port.
 *
 * <p>Immutable.
 *
 * @param user the name to log in with
 * @param password the hash of the password
 */
public record HttpAccount(String user, PasswordHash password) {}
