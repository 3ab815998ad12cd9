package org.nyala.netty.tls;

import io.netty.handler.ssl.NotSslRecordException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.nyala.core.metrics.ServerMetrics;

/**
 * The counts and the log of handshakes.
 *
 * <p>Thread-safe.
 */
final class HandshakeLog {
  private static final System.Logger LOG = System.getLogger(HandshakeLog.class.getName());

  /** The interval of lines in the log: anybody can make handshakes fail. */
  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final int MOST_CHARACTERS = 200;
  private static final int MOST_CAUSES = 8;

  private final ServerMetrics metrics;
  private final AtomicLong nextLineNanos = new AtomicLong(System.nanoTime());

  /**
   * The same for refused certificates, about which administrators want to know: clients that speak
   * no TLS do not take their lines. Anybody can show a bad certificate as well, and take them.
   */
  private final AtomicLong nextRefusalNanos = new AtomicLong(System.nanoTime());

  HandshakeLog(ServerMetrics metrics) {
    this.metrics = metrics;
  }

  void succeeded() {
    metrics.tlsHandshakes().increment();
  }

  void failed(@Nullable SocketAddress client, Throwable cause) {
    metrics.tlsFailures().increment();
    boolean isRefusal = refusal(cause) != null;
    AtomicLong next = isRefusal ? nextRefusalNanos : nextLineNanos;
    long due = next.get();
    long now = System.nanoTime();
    if (now - due >= 0 && next.compareAndSet(due, now + LOG_NANOS)) {
      LOG.log(
          Level.WARNING,
          "a TLS handshake with {0} has failed: {1}; {2} have failed so far, one of them is logged in a minute",
          String.valueOf(client),
          reason(cause),
          Long.toString(metrics.tlsFailures().sum()));
    }
  }

  /** Returns the refusal of a certificate behind a failure; null if it has another reason. */
  private static @Nullable RefusedCertificateException refusal(Throwable cause) {
    Throwable each = cause;
    for (int depth = 0; each != null && depth < MOST_CAUSES; depth++) {
      if (each instanceof RefusedCertificateException refusal) {
        return refusal;
      }
      each = each.getCause();
    }
    return null;
  }

  /**
   * Returns a reason without anything that the client has sent, since that may be a password; but
   * with the names in its certificate.
   */
  static String reason(Throwable cause) {
    RefusedCertificateException refusal = refusal(cause);
    if (refusal != null) {
      return String.valueOf(refusal.getMessage());
    }
    if (cause instanceof NotSslRecordException) {
      return "the client does not speak TLS";
    }
    String message = String.valueOf(cause.getMessage()).replaceAll("\\p{Cntrl}", " ");
    return message.substring(0, Math.min(message.length(), MOST_CHARACTERS));
  }
}
