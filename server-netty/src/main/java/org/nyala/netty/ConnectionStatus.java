package org.nyala.netty;

import org.nyala.core.session.SessionStatus;

/**
 * What is known of a connection, at about one moment.
 *
 * <p>Immutable.
 *
 * @param number the connection's number
 * @param peer the client's address, as {@code IP=127.0.0.1:40000}
 * @param local the address that it has come to, likewise
 * @param openedNanos when it was accepted, on the server's nanosecond clock
 * @param isReading whether it is read; not while it has as much to do as it may have, and not while
 *     its client does not read
 * @param isWritable whether its client reads what it asked for
 * @param reads how often something was read from it
 * @param writes how often it could be written to again after its client had let answers wait
 * @param session what it does
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
