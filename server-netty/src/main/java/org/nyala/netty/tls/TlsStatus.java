package org.nyala.netty.tls;

import java.time.Instant;

/**
 * The state of a server's certificates.
 *
 * <p>Immutable.
 *
 * @param end the time at which the first one in use ends
 * @param failure the reason why changed files are not in use; empty if they are
 */
public record TlsStatus(Instant end, String failure) {}
