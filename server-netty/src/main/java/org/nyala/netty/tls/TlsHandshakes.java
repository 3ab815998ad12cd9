package org.nyala.netty.tls;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.function.IntConsumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * The outcome of a connection's handshake: ends the connection if its peer breaks the protocol or
 * ends the encryption. Its own handler for bytes never sees either.
 *
 * <p>Confined to the channel's event loop.
 */
final class TlsHandshakes extends ChannelInboundHandlerAdapter {
  private final HandshakeLog log;
  private final SSLEngine engine;
  private final IntConsumer established;

  /**
   * Begins before the handshake.
   *
   * @param established takes the bits of the cipher's key, before anything is received
   */
  TlsHandshakes(HandshakeLog log, SSLEngine engine, IntConsumer established) {
    this.log = log;
    this.engine = engine;
    this.established = established;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        log.succeeded();
        established.accept(CipherStrength.bits(engine.getSession().getCipherSuite()));
      } else {
        log.failed(context.channel().remoteAddress(), handshake.cause());
      }
    }
    if (event instanceof SslCloseCompletionEvent) {
      // The client has said that it ends: without encryption there is no way on.
      ChannelFuture _ = context.close();
    }
    context.fireUserEventTriggered(event);
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
