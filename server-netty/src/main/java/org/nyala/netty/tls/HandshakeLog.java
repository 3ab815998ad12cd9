package org.nyala.netty.tls;

import io.netty.channel.Channel;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.netty.accept.ChannelAddresses;

/**
 * The counts and the log of handshakes.
 *
 * <p>Thread-safe.
 */
final class HandshakeLog {
  private static final System.Logger LOG = System.getLogger(HandshakeLog.class.getName());

  /** The interval of lines in the log: anybody can make handshakes fail. */
  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final ServerMetrics metrics;
  private final TlsListener listener;
  private final AtomicLong nextLineNanos = new AtomicLong(System.nanoTime());

  /**
   * The same for refused certificates, about which administrators want to know: clients that speak
   * no TLS do not take their lines. Anybody can show a bad certificate as well, and take them.
   */
  private final AtomicLong nextRefusalNanos = new AtomicLong(System.nanoTime());

  HandshakeLog(ServerMetrics metrics, TlsListener listener) {
    this.metrics = metrics;
    this.listener = listener;
  }

  void succeeded() {
    metrics.tlsHandshakes().increment();
  }

  void failed(Channel client, Throwable cause) {
    metrics.tlsFailures().increment();
    listener.handshakeFailed(ChannelAddresses.source(client), cause);
    boolean isRefusal = HandshakeReasons.refusal(cause) != null;
    AtomicLong next = isRefusal ? nextRefusalNanos : nextLineNanos;
    long due = next.get();
    long now = System.nanoTime();
    if (now - due >= 0 && next.compareAndSet(due, now + LOG_NANOS)) {
      LOG.log(
          Level.WARNING,
          "a TLS handshake with {0} has failed: {1}; {2} have failed so far, one of them is logged in a minute",
          ChannelAddresses.peer(client),
          HandshakeReasons.of(cause),
          Long.toString(metrics.tlsFailures().sum()));
    }
  }
}
