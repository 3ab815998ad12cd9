package org.nyala.loadtest.engine;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.Security;

/**
 * The set-up of a new channel of a connection before its clients may use it: TLS, from the start or
 * after StartTLS, and the bind of the service identity.
 *
 * <p>Confined to the channel's event loop.
 */
final class ConnectionSetup {
  private final LoadConnection connection;
  private final LoadLoop loop;
  private final boolean isServiceBound;
  private boolean isBinding;

  /**
   * Prepares for channels to come.
   *
   * @param isServiceBound true if the identity of the command line is to be bound on them
   */
  ConnectionSetup(LoadConnection connection, LoadLoop loop, boolean isServiceBound) {
    this.connection = connection;
    this.loop = loop;
    this.isServiceBound = isServiceBound;
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
    context
        .pipeline()
        .addFirst(loop.settings().security().handler(context.alloc(), loop.settings()));
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
  void handshaken(SslHandshakeCompletionEvent handshake) {
    if (handshake.isSuccess()) {
      bind();
    } else {
      loop.setupFailed("TLS: " + handshake.cause());
    }
  }

  private void bind() {
    if (isServiceBound && loop.hasServiceBind()) {
      isBinding = true;
      connection.setUp(loop.templates().serviceBind());
    } else {
      connection.ready();
    }
  }

  /** Handles the response to the request that {@link LoadConnection#setUp} has sent. */
  void answered(int tag, int resultCode, @Nullable ChannelHandlerContext context) {
    if (tag != (isBinding ? Pdu.BIND_RESPONSE : Pdu.EXTENDED_RESPONSE)) {
      connection.malformed();
    } else if (resultCode != 0) {
      connection.refused(resultCode);
      String what = isBinding ? "bind as the service identity" : "StartTLS";
      loop.setupFailed(what + ": result code " + resultCode);
      connection.breakOff();
    } else if (isBinding) {
      isBinding = false;
      connection.ready();
    } else {
      encrypt(Objects.requireNonNull(context));
    }
  }

  /** Resets the set-up: the channel is of no more use, but another one may follow. */
  void breakOff() {
    isBinding = false;
  }
}
