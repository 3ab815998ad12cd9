package org.nyala.core.operation;

import java.util.Optional;
import org.nyala.core.ServerLimits;
import org.nyala.core.access.AccessPolicy;

/**
 * What clients may do: rights and bounds, which may change while the directory is served.
 *
 * <p>Immutable.
 *
 * @param access says who may read and write
 * @param limits bounds what clients may ask for
 * @param root the account that limits do not bind
 */
record ClientTerms(AccessPolicy access, ServerLimits limits, Optional<RootAccount> root) {}
