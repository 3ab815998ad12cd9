package org.nyala.netty.tls;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.nyala.core.metrics.ServerMetrics;

/**
 * Counts and logs the handshakes of connections, and ends a connection whose peer breaks the
 * protocol: its own handler for bytes never sees either.
 *
 * <p>Thread-safe: one for all connections.
 */
@Sharable
final class TlsHandshakes extends ChannelInboundHandlerAdapter {
  private static final System.Logger LOG = System.getLogger(TlsHandshakes.class.getName());

  /** The interval of lines in the log: anybody can make handshakes fail. */
  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final int MOST_CHARACTERS = 200;

  private final ServerMetrics metrics;
  private final AtomicLong nextLineNanos = new AtomicLong(System.nanoTime());

  TlsHandshakes(ServerMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        metrics.tlsHandshakes().increment();
      } else {
        metrics.tlsFailures().increment();
        log(context, handshake.cause());
      }
    }
    if (event instanceof SslCloseCompletionEvent) {
      // The client has said that it ends: without encryption there is no way on.
      ChannelFuture _ = context.close();
    }
    context.fireUserEventTriggered(event);
  }

  private void log(ChannelHandlerContext context, Throwable cause) {
    long due = nextLineNanos.get();
    long now = System.nanoTime();
    if (now - due >= 0 && nextLineNanos.compareAndSet(due, now + LOG_NANOS)) {
      LOG.log(
          Level.WARNING,
          "a TLS handshake with {0} has failed: {1}; {2} have failed so far, one of them is logged in a minute",
          String.valueOf(context.channel().remoteAddress()),
          reason(cause),
          Long.toString(metrics.tlsFailures().sum()));
    }
  }

  /** Returns a reason without anything that the client has sent: that may be a password. */
  static String reason(Throwable cause) {
    if (cause instanceof NotSslRecordException) {
      return "the client does not speak TLS";
    }
    String message = String.valueOf(cause.getMessage()).replaceAll("\\p{Cntrl}", " ");
    return message.substring(0, Math.min(message.length(), MOST_CHARACTERS));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof SSLException || cause.getCause() instanceof SSLException) {
      ChannelFuture _ = context.close();
    } else {
      context.fireExceptionCaught(cause);
    }
  }
}
