package org.nyala.core.directory;

import org.nyala.core.access.AccessPolicy;
import org.nyala.core.limits.ServerLimits;

/**
 * The rights and limits of clients, which may change while the directory is served.
 *
 * <p>Immutable.
 *
 * @param access the rules for reading and writing
 * @param limits the limits of requests
 * @param roots the accounts that are exempt from limits
 */
public record AccessSettings(AccessPolicy access, ServerLimits limits, RootAccounts roots) {}
