package org.nyala.core.directory;

import java.util.Optional;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.limits.ServerLimits;

/**
 * The rights and limits of clients, which may change while the directory is served.
 *
 * <p>Immutable.
 *
 * @param access the rules for reading and writing
 * @param limits the limits of requests
 * @param root the account that is exempt from limits
 */
public record AccessSettings(
    AccessPolicy access, ServerLimits limits, Optional<RootAccount> root) {}
