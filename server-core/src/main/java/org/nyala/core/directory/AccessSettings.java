package org.nyala.core.directory;

import java.util.Optional;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.limits.ServerLimits;

/**
 * What clients may do: rights and bounds, which may change while the directory is served.
 *
 * <p>Immutable.
 *
 * @param access says who may read and write
 * @param limits bounds what clients may ask for
 * @param root the account that limits do not bind
 */
public record AccessSettings(
    AccessPolicy access, ServerLimits limits, Optional<RootAccount> root) {}
