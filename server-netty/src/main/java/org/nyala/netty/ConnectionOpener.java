package org.nyala.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.nyala.netty.accept.AcceptHandler;
import org.nyala.netty.accept.EventLoopChooser;
import org.nyala.netty.accept.EventLoops;
import org.nyala.netty.accept.LocalSocket;
import org.nyala.netty.accept.ProxyHeader;
import org.nyala.netty.accept.RejectedConnections;
import org.nyala.netty.accept.TrustedProxies;
import org.nyala.netty.codec.RequestDecoder;

/**
 * Opens the connections that were accepted, or refuses them.
 *
 * <p>Thread-safe; each connection is opened on its event loop.
 */
final class ConnectionOpener {
  private final ConnectionEnvironment environment;
  private final EventLoopChooser loopChoice;
  private final AcceptHandler accepted;
  private final RejectedConnections refusals;
  private final IdentityHashMap<EventExecutor, LoopParts> loopParts = new IdentityHashMap<>();

  /** The connections whose proxies have yet to say for whom they connect. */
  private final Set<Channel> awaited = ConcurrentHashMap.newKeySet();

  private volatile boolean isClosed;

  /** The objects that the connections of an event loop share. */
  private record LoopParts(RequestDecoder decoder, LoopTurns turns) {}

  ConnectionOpener(
      ConnectionEnvironment environment,
      EventLoops loops,
      EventLoopChooser loopChoice,
      AcceptHandler accepted,
      RejectedConnections refusals) {
    this.environment = environment;
    this.loopChoice = loopChoice;
    this.accepted = accepted;
    this.refusals = refusals;
    for (EventExecutor loop : loops) {
      loopParts.put(loop, new LoopParts(environment.decoders().take(), new LoopTurns(loop)));
    }
  }

  /** Returns the handler that opens the connections of a listener. */
  ChannelInitializer<Channel> of(WireSettings.Listener listener) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        open(channel, listener);
      }
    };
  }

  private void open(Channel channel, WireSettings.Listener listener) {
    channel.closeFuture().addListener(_ -> loopChoice.left(channel.eventLoop()));
    int number = accepted.open(channel);
    TrustedProxies proxies = listener.proxies();
    if (number == 0) {
      refuse(channel, listener);
    } else if (proxies == null) {
      serve(channel, listener, number);
    } else if (isFrom(proxies, channel)) {
      awaitHeader(channel, listener, number);
    } else {
      refusals.add("only the proxies of proxy.from may connect to this listener");
      ChannelFuture _ = channel.close();
    }
  }

  private static void refuse(Channel channel, WireSettings.Listener listener) {
    if (listener.isTls()) {
      // Not in clear text.
      ChannelFuture _ = channel.close();
    } else {
      AcceptHandler.refuse(channel);
    }
  }

  private static boolean isFrom(TrustedProxies proxies, Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress remote
        && remote.getAddress() != null
        && proxies.include(remote.getAddress());
  }

  private void awaitHeader(Channel channel, WireSettings.Listener listener, int number) {
    awaited.add(channel);
    channel.closeFuture().addListener(_ -> awaited.remove(channel));
    ProxyHeader.await(
        channel,
        environment.settings().timeouts().partialPduMillis(),
        () -> serveProxied(channel, listener, number),
        () -> refusals.add("a proxy has not sent the header of the PROXY protocol"));
    if (isClosed) {
      ChannelFuture _ = channel.close();
    }
  }

  private void serveProxied(Channel channel, WireSettings.Listener listener, int number) {
    awaited.remove(channel);
    if (accepted.identify(channel)) {
      serve(channel, listener, number);
    } else {
      refuse(channel, listener);
    }
  }

  /** Serves a connection whose client is known. */
  private void serve(Channel channel, WireSettings.Listener listener, int number) {
    LoopParts parts = loopParts.get(channel.eventLoop());
    if (parts == null) {
      throw new IllegalStateException("a channel on an event loop that is not the server's");
    }
    ConnectionHandler connection =
        new ConnectionHandler(environment, channel, number, parts.decoder(), parts.turns());
    channel.pipeline().addLast(connection);
    AcceptHandler.serve(channel, connection);
    LocalSocket local = listener.local();
    if (local != null) {
      connection.encryption().protectLocally(local.strengthBits());
    }
    if (listener.isTls()) {
      connection.encryption().begin();
    }
  }

  /** Ends the connections that have not begun. Any thread. */
  void close() {
    isClosed = true;
    awaited.forEach(
        channel -> {
          ChannelFuture _ = channel.close();
        });
  }
}
