package org.nyala.netty;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.nyala.core.metrics.ServerMetrics;

/**
 * The count and the log of connections that have ended because their layer of SASL was broken.
 *
 * <p>Thread-safe.
 */
final class SaslLayerLog {
  private static final System.Logger LOG = System.getLogger(SaslLayerLog.class.getName());

  /** The interval of lines in the log: whoever is in between can break every connection. */
  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final ServerMetrics metrics;
  private final AtomicLong nextLineNanos = new AtomicLong(System.nanoTime());

  /** Begins without failures. */
  SaslLayerLog(ServerMetrics metrics) {
    this.metrics = metrics;
  }

  /**
   * Counts a failure, and logs one in a minute. Any thread.
   *
   * @param client the address of the client
   */
  void failed(String client, String reason) {
    metrics.saslLayerFailures().increment();
    long due = nextLineNanos.get();
    long now = System.nanoTime();
    if (now - due >= 0 && nextLineNanos.compareAndSet(due, now + LOG_NANOS)) {
      LOG.log(
          Level.WARNING,
          "the SASL layer with {0} has failed: {1}; {2} have failed so far, one of them is logged in a minute",
          client,
          reason,
          Long.toString(metrics.saslLayerFailures().sum()));
    }
  }
}
