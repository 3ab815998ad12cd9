package org.nyala.core.metrics;

import java.util.concurrent.atomic.LongAdder;

/** The counters of the server; the only place that names them. Thread-safe. */
public final class ServerMetrics {
  private final OperationMetrics operations = new OperationMetrics();
  private final AccountMetrics accounts = new AccountMetrics();
  private final LongAdder bytesReceived = new LongAdder();
  private final LongAdder bytesSent = new LongAdder();
  private final LongAdder responsesSent = new LongAdder();
  private final LongAdder referralsSent = new LongAdder();
  private final LongAdder connectionsOpened = new LongAdder();
  private final LongAdder connectionsClosed = new LongAdder();
  private final LongAdder connectionsStalled = new LongAdder();
  private final LongAdder connectionsRefused = new LongAdder();
  private final LongAdder displaced = new LongAdder();
  private final LongAdder tlsHandshakes = new LongAdder();
  private final LongAdder tlsFailures = new LongAdder();
  private final LongAdder saslLayerFailures = new LongAdder();
  private final LongAdder polls = new LongAdder();
  private final LongAdder operationsStarted = new LongAdder();
  private final LongAdder operationsCompleted = new LongAdder();
  private final LongAdder operationsAbandoned = new LongAdder();
  private final LongAdder operationsRefused = new LongAdder();
  private final LongAdder passwordsRefused = new LongAdder();
  private final LongAdder passwordsUpgraded = new LongAdder();
  private final LongAdder entriesSent = new LongAdder();
  private final LongAdder malformedRequests = new LongAdder();
  private final LongAdder internalErrors = new LongAdder();

  /** Returns the counters of operations by kind and result, with the time of each phase. */
  public OperationMetrics operations() {
    return operations;
  }

  /** Returns the counters of what password policies do. */
  public AccountMetrics accounts() {
    return accounts;
  }

  /** Bytes read from clients. */
  public LongAdder bytesReceived() {
    return bytesReceived;
  }

  /** Bytes given to the connections of clients. */
  public LongAdder bytesSent() {
    return bytesSent;
  }

  /** Messages sent: entries, references, intermediate responses, results. */
  public LongAdder responsesSent() {
    return responsesSent;
  }

  /** Search result references sent. */
  public LongAdder referralsSent() {
    return referralsSent;
  }

  /** Connections accepted. */
  public LongAdder connectionsOpened() {
    return connectionsOpened;
  }

  /** Connections that are gone. */
  public LongAdder connectionsClosed() {
    return connectionsClosed;
  }

  /** Connections that were closed because their clients had left answers unread for too long. */
  public LongAdder connectionsStalled() {
    return connectionsStalled;
  }

  /** Connections that were not accepted, or ended at once, because there was no room for them. */
  public LongAdder connectionsRefused() {
    return connectionsRefused;
  }

  /** Idle connections, persistent searches and transactions that made way for those of others. */
  public LongAdder displaced() {
    return displaced;
  }

  /** TLS handshakes that were completed. */
  public LongAdder tlsHandshakes() {
    return tlsHandshakes;
  }

  /** TLS handshakes that failed, by the client's doing or for lack of time. */
  public LongAdder tlsFailures() {
    return tlsFailures;
  }

  /** Connections that ended because their layer of SASL was broken. */
  public LongAdder saslLayerFailures() {
    return saslLayerFailures;
  }

  /**
   * Returns the number of times that event loops asked the kernel for ready sockets, such as by
   * epoll_wait.
   */
  public LongAdder polls() {
    return polls;
  }

  /** Operations that were dispatched. */
  public LongAdder operationsStarted() {
    return operationsStarted;
  }

  /** Operations that ended, however they did. */
  public LongAdder operationsCompleted() {
    return operationsCompleted;
  }

  /** Returns the number of operations that have begun and not ended. */
  public long operationsActive() {
    // Ended before begun: what has begun and ended meanwhile is not missing.
    long completed = operationsCompleted.sum();
    return Math.max(0, operationsStarted.sum() - completed);
  }

  /**
   * Returns the counter of operations that ended without an answer, because none was wanted any
   * more.
   */
  public LongAdder operationsAbandoned() {
    return operationsAbandoned;
  }

  /**
   * Operations that were answered busy because they had waited for a permit, or for a thread that
   * hashes, for too long.
   */
  public LongAdder operationsRefused() {
    return operationsRefused;
  }

  /**
   * Returns the counter of passwords that were answered busy and not looked at, because too many
   * were wrong before.
   */
  public LongAdder passwordsRefused() {
    return passwordsRefused;
  }

  /** Returns the counter of passwords that were stored anew, by a stronger scheme, after a bind. */
  public LongAdder passwordsUpgraded() {
    return passwordsUpgraded;
  }

  /** Search result entries sent. */
  public LongAdder entriesSent() {
    return entriesSent;
  }

  /**
   * Returns the counter of requests that could not be decoded: one per bad request, for any fault.
   */
  public LongAdder malformedRequests() {
    return malformedRequests;
  }

  /** Operations that failed for a reason that is the server's. */
  public LongAdder internalErrors() {
    return internalErrors;
  }
}
