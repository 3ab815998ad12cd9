package org.nyala.netty.tls;

import java.time.Instant;

/**
 * The state of a server's certificates.
 *
 * <p>Immutable.
 *
 * @param end the time at which the first one in use ends
 * @param ending the subject of that one, in printable characters, or its files and the subject;
 *     empty if there is none
 * @param failure the fault of files, such as why changed ones are not in use; empty for none
 */
public record TlsStatus(Instant end, String ending, String failure) {}
