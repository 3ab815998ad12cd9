package org.nyala.loadtest.engine;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.Security;

/**
 * What happens on a new channel of a connection before its conversations may use it: TLS, from the
 * start or after StartTLS, and the bind of the service identity.
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
   * @param isServiceBound whether the identity of the command line is to be bound on them
   */
  ConnectionSetup(LoadConnection connection, LoadLoop loop, boolean isServiceBound) {
    this.connection = connection;
    this.loop = loop;
    this.isServiceBound = isServiceBound;
  }

  /** Whether the bytes of channels are to be encrypted, sooner or later. */
  boolean isEncrypted() {
    return kind() != Security.Kind.NONE;
  }

  private Security.Kind kind() {
    return loop.settings().security().kind();
  }

  /** The connection's handler is in the pipeline of a channel that is not open yet. */
  void added(ChannelHandlerContext context) {
    if (kind() == Security.Kind.FROM_THE_START) {
      encrypt(context);
    }
  }

  /** {@link #handshaken} hears of the handshake. */
  private void encrypt(ChannelHandlerContext context) {
    context
        .pipeline()
        .addFirst(loop.settings().security().handler(context.alloc(), loop.settings()));
  }

  /** The channel is open. */
  void begin() {
    switch (kind()) {
      case NONE -> bind();
      case START_TLS -> connection.setUp(loop.templates().startTls());
      case FROM_THE_START -> {}
    }
  }

  /** TLS is agreed on, or cannot be. */
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

  /** The request was answered that {@link LoadConnection#setUp} has sent. */
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

  /** The channel is of no more use; there may be another one. */
  void breakOff() {
    isBinding = false;
  }
}
