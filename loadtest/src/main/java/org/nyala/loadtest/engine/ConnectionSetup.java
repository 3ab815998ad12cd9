package org.nyala.loadtest.engine;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Objects;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.ResultNames;
import org.nyala.loadtest.result.Occurrence;
import org.nyala.loadtest.sasl.ScramExchange;
import org.nyala.loadtest.sasl.ScramKeyStore;
import org.nyala.loadtest.workload.Security;

/**
 * The set-up of a new channel of a connection before its clients may use it: TLS, from the start or
 * after StartTLS, and the bind of the service identity.
 *
 * <p>Confined to the channel's event loop.
 */
final class ConnectionSetup implements ScramBind.Owner {
  private static final byte[] NONE = {};
  private static final String SEEN = "org.nyala.loadtest.seen";

  private final LoadConnection connection;
  private final LoadLoop loop;
  private final boolean isServiceBound;
  private final @Nullable ScramBind scram;
  private byte[] channelBinding = NONE;
  private boolean isBinding;
  private boolean isResumed;

  /**
   * Prepares for channels to come.
   *
   * @param isServiceBound true if the identity of the command line is to be bound on them
   */
  ConnectionSetup(LoadConnection connection, LoadLoop loop, boolean isServiceBound) {
    this.connection = connection;
    this.loop = loop;
    this.isServiceBound = isServiceBound;
    ScramKeyStore keys = loop.identities().serviceKeys();
    this.scram = keys == null ? null : new ScramBind(this, keys, loop.eventLoop());
  }

  /** Returns whether the bytes of channels are to be encrypted, sooner or later. */
  boolean isEncrypted() {
    return kind() != Security.Kind.NONE;
  }

  private Security.Kind kind() {
    return loop.settings().security().kind();
  }

  /**
   * Adds TLS if needed; the connection's handler is in the pipeline of a channel that is not open
   * yet.
   */
  void added(ChannelHandlerContext context) {
    if (kind() == Security.Kind.FROM_THE_START) {
      encrypt(context);
    }
  }

  /** Adds TLS to the pipeline; {@link #handshaken} is notified of the handshake. */
  private void encrypt(ChannelHandlerContext context) {
    InetSocketAddress server = loop.servers().get(connection.server());
    context
        .pipeline()
        .addFirst(
            loop.settings()
                .security()
                .handler(context.alloc(), server, connection.sessions(server)));
  }

  /** Begins the set-up of a channel that is open. */
  void begin() {
    switch (kind()) {
      case NONE -> bind();
      case START_TLS -> connection.setUp(loop.templates().startTls());
      case FROM_THE_START -> {}
    }
  }

  /** Goes on after the TLS handshake has succeeded or failed. */
  void handshaken(ChannelHandlerContext context, SslHandshakeCompletionEvent handshake) {
    if (!handshake.isSuccess()) {
      loop.setupFailed("TLS: " + reason(handshake.cause()));
      return;
    }
    countHandshake(context);
    if (loop.identities().areBound()) {
      channelBinding = bindingOf(context);
      if (channelBinding.length == 0) {
        loop.setupFailed("the server's certificate has no tls-server-end-point (RFC 5929)");
        connection.breakOff();
        return;
      }
    }
    bind();
  }

  private void countHandshake(ChannelHandlerContext context) {
    SslHandler tls = Objects.requireNonNull(context.pipeline().get(SslHandler.class));
    SSLSession session = tls.engine().getSession();
    // The values of a session go over to those that resume it.
    isResumed = session.getValue(SEEN) != null;
    session.putValue(SEEN, SEEN);
    long now = System.nanoTime();
    loop.statistics().occurred(Occurrence.HANDSHAKE, now, now);
    if (isResumed) {
      loop.statistics().occurred(Occurrence.RESUMED_HANDSHAKE, now, now);
    }
  }

  /** Returns whether the last handshake resumed a session of an earlier one. */
  boolean isResumed() {
    return isResumed;
  }

  /** Returns the message of the failure, or of what caused it. */
  private static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getMessage() == null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage() == null ? "the connection was closed" : cause.getMessage();
  }

  private static byte[] bindingOf(ChannelHandlerContext context) {
    try {
      SslHandler tls = Objects.requireNonNull(context.pipeline().get(SslHandler.class));
      Certificate[] chain = tls.engine().getSession().getPeerCertificates();
      return chain[0] instanceof X509Certificate own ? ScramExchange.binding(own) : NONE;
    } catch (SSLPeerUnverifiedException | CertificateEncodingException e) {
      return NONE;
    }
  }

  /** The data that binds SCRAM to the connection; empty if that is not wanted. */
  byte[] channelBinding() {
    return channelBinding;
  }

  private void bind() {
    if (isServiceBound && loop.hasServiceBind()) {
      isBinding = true;
      if (scram == null) {
        connection.setUp(loop.templates().serviceBind());
      } else {
        scram.begin(0, loop.settings().account().login(), channelBinding);
      }
    } else {
      connection.ready();
    }
  }

  /** Handles the response to the request that {@link LoadConnection#setUp} has sent. */
  void answered(int tag, int resultCode, @Nullable ChannelHandlerContext context) {
    if (tag != (isBinding ? Pdu.BIND_RESPONSE : Pdu.EXTENDED_RESPONSE)) {
      connection.malformed();
    } else if (isBinding && scram != null) {
      scram.answered(resultCode);
    } else if (resultCode != 0) {
      refused(resultCode);
    } else if (isBinding) {
      bound();
    } else {
      encrypt(Objects.requireNonNull(context));
    }
  }

  /** Takes the server's credentials of the bind response that is about to end. */
  void serverCredentials(BerCursor value) {
    if (scram != null) {
      scram.serverCredentials(value);
    }
  }

  @Override
  public void send(byte[] message) {
    connection.setUp(message);
  }

  @Override
  public void bound() {
    isBinding = false;
    connection.ready();
  }

  @Override
  public void refused(int resultCode) {
    connection.refused(resultCode);
    loop.failedBy(resultCode);
    String what = isBinding ? "bind as the service identity" : "StartTLS";
    loop.setupFailed(what + ": the server answered " + ResultNames.of(resultCode));
    connection.breakOff();
  }

  @Override
  public void distrusted(String reason) {
    loop.setupFailed("bind as the service identity: " + reason);
    connection.malformed();
  }

  /** Resets the set-up: the channel is of no more use, but another one may follow. */
  void breakOff() {
    if (scram != null) {
      scram.drop();
    }
    isBinding = false;
    channelBinding = NONE;
  }
}
