package org.nyala.netty.accept;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The wait for the header of the PROXY protocol, in version 1 or 2, before a connection is served:
 * with the addresses that it carries, or its own if the proxy connects on its own account ({@code
 * LOCAL}, {@code UNKNOWN}). What it says of encryption is not trusted.
 *
 * <p>Confined to the channel's event loop.
 */
public final class ProxyHeader extends ChannelInboundHandlerAdapter {
  /** The most bytes of a header: further fields are of no use here. */
  private static final int MOST_BYTES = 512;

  private final Runnable serving;
  private final Runnable refusing;
  private final List<ByteBuf> behind = new ArrayList<>();
  private @Nullable Future<?> deadline;
  private boolean isOver;

  private ProxyHeader(Runnable serving, Runnable refusing) {
    this.serving = serving;
    this.refusing = refusing;
  }

  /**
   * Waits for the header of a channel; on its event loop.
   *
   * @param millis the time after which the channel is closed; 0 is for ever
   * @param serving adds the handlers of the connection to the pipeline
   * @param refusing notes that a header was malformed, or came too late
   */
  public static void await(Channel channel, long millis, Runnable serving, Runnable refusing) {
    ProxyHeader header = new ProxyHeader(serving, refusing);
    channel.pipeline().addLast(new HAProxyMessageDecoder(MOST_BYTES), header);
    if (millis > 0) {
      header.deadline =
          channel.eventLoop().schedule(() -> header.fail(channel), millis, TimeUnit.MILLISECONDS);
    }
  }

  private void fail(Channel channel) {
    if (!isOver) {
      isOver = true;
      refusing.run();
      ChannelFuture _ = channel.close();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HAProxyMessage header) {
      try {
        read(context.channel(), header);
      } finally {
        header.release();
      }
    } else {
      // Bytes that have come with the header wait for the handlers that read them.
      behind.add((ByteBuf) message);
    }
  }

  private void read(Channel channel, HAProxyMessage header) {
    if (isOver) {
      return;
    }
    end();
    CarriedAddress carried = carried(header);
    if (carried != null) {
      carried.attachTo(channel);
    }
    // The decoder passes on what is behind the header before it is gone.
    channel.eventLoop().execute(() -> serve(channel));
  }

  private void end() {
    isOver = true;
    if (deadline != null) {
      boolean _ = deadline.cancel(false);
    }
  }

  private static @Nullable CarriedAddress carried(HAProxyMessage header) {
    HAProxyProxiedProtocol protocol = header.proxiedProtocol();
    boolean isStream =
        protocol == HAProxyProxiedProtocol.TCP4 || protocol == HAProxyProxiedProtocol.TCP6;
    if (header.command() != HAProxyCommand.PROXY || !isStream) {
      return null;
    }
    return new CarriedAddress(
        address(header.sourceAddress(), header.sourcePort()),
        address(header.destinationAddress(), header.destinationPort()));
  }

  private static InetSocketAddress address(String literal, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(literal), port);
  }

  private void serve(Channel channel) {
    if (!channel.isOpen()) {
      release();
      return;
    }
    ChannelPipeline pipeline = channel.pipeline();
    try {
      serving.run();
    } catch (Throwable e) {
      release();
      ChannelFuture _ = channel.close();
      throw e;
    }
    pipeline.remove(this);
    behind.forEach(pipeline::fireChannelRead);
    boolean wereAny = !behind.isEmpty();
    behind.clear();
    if (wereAny) {
      pipeline.fireChannelReadComplete();
    }
  }

  private void release() {
    behind.forEach(ByteBuf::release);
    behind.clear();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    end();
    release();
    context.fireChannelInactive();
  }

  /** The header is malformed, or the connection is broken. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fail(context.channel());
    ChannelFuture _ = context.close();
  }
}
