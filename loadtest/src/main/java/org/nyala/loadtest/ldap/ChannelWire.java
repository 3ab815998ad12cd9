package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;

/**
 * A channel with its pipeline, which encrypts if TLS is wanted. Confined to the channel's event
 * loop.
 */
public final class ChannelWire implements Wire {
  private final ChannelHandlerContext context;

  public ChannelWire(ChannelHandlerContext context) {
    this.context = context;
  }

  @Override
  public ByteBufAllocator allocator() {
    return context.alloc();
  }

  @Override
  public boolean send(ByteBuf requests) {
    ChannelFuture _ = context.writeAndFlush(requests.retain(), context.voidPromise());
    if (requests.refCnt() == 1) {
      requests.clear();
      return true;
    }
    // Part of it still waits for the socket.
    requests.release();
    return false;
  }

  @Override
  public void close() {
    ChannelFuture _ = context.close();
  }
}
