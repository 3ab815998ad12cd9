package org.nyala.netty.tls;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a connection's handshake: ends the connection if its peer breaks the protocol or
 * ends the encryption. Its own handler for bytes never sees either.
 *
 * <p>Confined to the channel's event loop.
 */
final class TlsHandshakes extends ChannelInboundHandlerAdapter {
  private final HandshakeLog log;
  private final SSLEngine engine;
  private final List<TlsCertificate> certificates;
  private final Consumer<TlsPeer> established;

  /**
   * Begins before the handshake.
   *
   * @param certificates the certificates of the server, one of which the client sees
   * @param established takes the outcome of a handshake that has succeeded, before anything is
   *     received
   */
  TlsHandshakes(
      HandshakeLog log,
      SSLEngine engine,
      List<TlsCertificate> certificates,
      Consumer<TlsPeer> established) {
    this.certificates = certificates;
    this.log = log;
    this.engine = engine;
    this.established = established;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        log.succeeded();
        established.accept(peer(engine.getSession()));
      } else {
        log.failed(context.channel(), handshake.cause());
      }
    }
    if (event instanceof SslCloseCompletionEvent) {
      // The client has said that it ends: without encryption there is no way on.
      ChannelFuture _ = context.close();
    }
    context.fireUserEventTriggered(event);
  }

  private TlsPeer peer(SSLSession session) {
    String cipher = session.getCipherSuite();
    return new TlsPeer(
        session.getProtocol(),
        cipher,
        CipherStrength.bits(cipher),
        EndPointBinding.of(certificates, session),
        ExporterBinding.of(session),
        certificate());
  }

  /** Returns the client's certificate, which the handshake has verified; null if it has none. */
  private @Nullable X509Certificate certificate() {
    if (!engine.getNeedClientAuth() && !engine.getWantClientAuth()) {
      return null;
    }
    try {
      return (X509Certificate) engine.getSession().getPeerCertificates()[0];
    } catch (SSLPeerUnverifiedException e) {
      // It has not shown one, and need not.
      return null;
    }
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
