package org.nyala.core.metrics;

import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of the server; the only place that names them. Thread-safe.
 *
 * @param operations the counters of operations by kind and result, with the time of each phase
 * @param accounts the counters of what password policies do
 * @param bytesReceived bytes read from clients
 * @param bytesSent bytes given to the connections of clients
 * @param responsesSent messages sent: entries, references, intermediate responses, results
 * @param referralsSent search result references sent
 * @param connectionsOpened connections accepted
 * @param connectionsClosed connections that are gone
 * @param connectionsStalled connections that were closed because their clients had left answers
 *     unread for too long
 * @param connectionsRefused connections that were not accepted, or ended at once, because there was
 *     no room for them
 * @param displaced idle connections, persistent searches and transactions that made way for those
 *     of others
 * @param tlsHandshakes TLS handshakes that were completed
 * @param tlsFailures TLS handshakes that failed, by the client's doing or for lack of time
 * @param saslLayerFailures connections that ended because their layer of SASL was broken
 * @param polls times that event loops asked the kernel for ready sockets, such as by epoll_wait
 * @param operationsStarted operations that were dispatched
 * @param operationsCompleted operations that ended, however they did
 * @param operationsAbandoned operations that ended without an answer, because none was wanted any
 *     more
 * @param operationsRefused operations that were answered busy because they had waited for a permit,
 *     or for a thread that hashes, for too long
 * @param passwordsRefused passwords that were answered busy and not looked at, because too many
 *     were wrong before
 * @param passwordsUpgraded passwords that were stored anew, by a stronger scheme, after a bind
 * @param passwordsRemembered passwords that were accepted without their slow hash, which had
 *     matched lately
 * @param entriesSent search result entries sent
 * @param malformedRequests requests that could not be decoded: one per bad request, for any fault
 * @param internalErrors operations that failed for a reason that is the server's
 */
public record ServerMetrics(
    OperationMetrics operations,
    AccountMetrics accounts,
    LongAdder bytesReceived,
    LongAdder bytesSent,
    LongAdder responsesSent,
    LongAdder referralsSent,
    LongAdder connectionsOpened,
    LongAdder connectionsClosed,
    LongAdder connectionsStalled,
    LongAdder connectionsRefused,
    LongAdder displaced,
    LongAdder tlsHandshakes,
    LongAdder tlsFailures,
    LongAdder saslLayerFailures,
    LongAdder polls,
    LongAdder operationsStarted,
    LongAdder operationsCompleted,
    LongAdder operationsAbandoned,
    LongAdder operationsRefused,
    LongAdder passwordsRefused,
    LongAdder passwordsUpgraded,
    LongAdder passwordsRemembered,
    LongAdder entriesSent,
    LongAdder malformedRequests,
    LongAdder internalErrors) {
  /** Creates counters that are all 0. */
  public ServerMetrics() {
    this(
        new OperationMetrics(),
        new AccountMetrics(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder());
  }

  /** Returns the number of operations that have begun and not ended. */
  public long operationsActive() {
    // Ended before begun: what has begun and ended meanwhile is not missing.
    long completed = operationsCompleted.sum();
    return Math.max(0, operationsStarted.sum() - completed);
  }
}
