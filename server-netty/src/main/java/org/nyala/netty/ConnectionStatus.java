package org.nyala.netty;

import org.nyala.core.session.SessionStatus;

/**
 * The status of a connection, at about one moment.
 *
 * <p>Immutable.
 *
 * @param number the connection's number
 * @param peer the client's address, as {@code IP=127.0.0.1:40000}
 * @param local the address that it has connected to, likewise
 * @param openedNanos when it was accepted, on the server's nanosecond clock
 * @param isReading true if it is read; not while it has as many requests as it may have, and not
 *     while its client does not read
 * @param isWritable true if its client reads the answers
 * @param reads the number of reads from it
 * @param writes the number of times it became writable after its client had let answers wait
 * @param session the status of its session
 */
public record ConnectionStatus(
    int number,
    String peer,
    String local,
    long openedNanos,
    boolean isReading,
    boolean isWritable,
    long reads,
    long writes,
    SessionStatus session) {}
