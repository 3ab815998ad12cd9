package org.nyala.netty.accept;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.util.AttributeKey;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.netty.codec.ResultEncoder;

/**
 * The first handler of listeners. Counts connections as they are accepted, so that no more file
 * descriptors are taken than there are for connections, and hands a few at a time to event loops:
 * the clients of each address in turn, so that thousands from one address delay neither those of
 * others nor the other work of the loops.
 *
 * <p>Confined to the event loop of the listeners, except for {@link #open}.
 */
@Sharable
public final class AcceptHandler extends ChannelInboundHandlerAdapter {
  /**
   * The most refused connections that may wait for their notice of disconnection at once; others
   * are closed without one. {@link RejectedConnections} reserves more file descriptors than these.
   */
  public static final int REFUSED_AT_ONCE = 32;

  /**
   * The most connections, on average of the loops, that were handed to event loops and are not open
   * or have not had their turn to be read. With no bound, neighbours of 4,000 new connections
   * waited for 1.4 s.
   */
  private static final int OPENING_PER_LOOP = 8;

  private static final AttributeKey<Accepted> ACCEPTED =
      AttributeKey.valueOf(AcceptHandler.class, "accepted");

  private static final AttributeKey<Boolean> PROXIED =
      AttributeKey.valueOf(AcceptHandler.class, "proxied");

  private final ConnectionLimiter gate;
  private final EventLoop loop;
  private final int mostOpening;
  private final AtomicInteger opening = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final LinkedHashMap<Object, ArrayDeque<Accepted>> lines = new LinkedHashMap<>();
  private boolean isClosed;

  /**
   * Creates a handler for listeners that share an event loop.
   *
   * @param loop the event loop of the listeners
   * @param loops the number of other event loops, which serve connections
   */
  public AcceptHandler(ConnectionLimiter gate, EventLoop loop, int loops) {
    this.gate = gate;
    this.loop = loop;
    this.mostOpening = OPENING_PER_LOOP * loops;
  }

  /**
   * An accepted connection, and its state. It keeps its place until it is open; the one that serves
   * it then decides.
   */
  private static final class Accepted extends AtomicInteger implements OwnedSlots.Tenant {
    private static final long serialVersionUID = 1;

    static final int OPENING = 0;
    static final int OPEN = 1;
    static final int ENDED = 2;

    final transient ChannelHandlerContext listener;
    final transient Channel connection;

    /** Its place; null if it is to be refused. */
    transient OwnedSlots.@Nullable Slot slot;

    private transient volatile OwnedSlots.@Nullable Tenant served;

    /** The number of the connection; 0 if it is to be refused. */
    int number;

    Accepted(ChannelHandlerContext listener, Channel connection) {
      this.listener = listener;
      this.connection = connection;
    }

    @Override
    public OwnedSlots.Use use() {
      OwnedSlots.Tenant tenant = served;
      if (tenant != null) {
        return tenant.use();
      }
      return get() == OPENING ? OwnedSlots.Use.WORKING : OwnedSlots.Use.AWAITING_CLIENT;
    }

    @Override
    public long sinceNanos() {
      OwnedSlots.Tenant tenant = served;
      return tenant == null ? 0 : tenant.sinceNanos();
    }

    @Override
    public void evict() {
      OwnedSlots.Tenant tenant = served;
      if (tenant == null) {
        ChannelFuture _ = connection.close();
      } else {
        tenant.evict();
      }
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Channel connection = (Channel) message;
    if (isClosed) {
      connection.unsafe().closeForcibly();
      return;
    }
    // Clients of a proxy are known when its header has come.
    Object address =
        context.channel().hasAttr(PROXIED) ? null : ChannelAddresses.origin(connection);
    Accepted accepted = new Accepted(context, connection);
    connection.attr(ACCEPTED).set(accepted);
    OwnedSlots.Slot slot = gate.enter(address, accepted);
    accepted.slot = slot;
    accepted.number = slot == null ? 0 : gate.nextNumber();
    if (slot == null && refused.incrementAndGet() > REFUSED_AT_ONCE) {
      refused.decrementAndGet();
      connection.unsafe().closeForcibly();
      return;
    }
    Object origin = address == null ? this : address;
    lines.computeIfAbsent(origin, _ -> new ArrayDeque<>(1)).addLast(accepted);
    waiting.incrementAndGet();
    openNext();
  }

  private void openNext() {
    while (opening.get() < mostOpening) {
      Accepted next = poll();
      if (next == null) {
        return;
      }
      opening.incrementAndGet();
      next.connection.closeFuture().addListener(_ -> end(next));
      next.listener.fireChannelRead(next.connection);
      if (!next.connection.isOpen()) {
        // It could not be given to a loop; there is no need to wait for its close future.
        end(next);
      }
    }
  }

  private @Nullable Accepted poll() {
    Map.Entry<Object, ArrayDeque<Accepted>> line = lines.pollFirstEntry();
    if (line == null) {
      return null;
    }
    Accepted next = line.getValue().removeFirst();
    if (!line.getValue().isEmpty()) {
      lines.putLast(line.getKey(), line.getValue());
    }
    waiting.decrementAndGet();
    return next;
  }

  /**
   * Notes that an accepted connection is about to be opened and returns its number; on its event
   * loop.
   *
   * @return its number; 0 if it is to be refused
   */
  public int open(Channel connection) {
    Accepted accepted = connection.attr(ACCEPTED).get();
    if (accepted == null) {
      throw new IllegalStateException("a connection that was not accepted here");
    }
    if (waiting.get() == 0) {
      noteOpen(accepted);
    } else {
      // This runs after the loop has looked at its sockets.
      Future<?> _ =
          connection.eventLoop().schedule(() -> noteOpen(accepted), 0, TimeUnit.NANOSECONDS);
    }
    return accepted.number;
  }

  /** Notes that the connections of a listener come from proxies; before it accepts any. */
  public static void expectProxies(ServerBootstrap listener) {
    listener.attr(PROXIED, true);
  }

  /**
   * Counts a connection of a proxy for the client behind it; on its event loop.
   *
   * @return false if that client has too many
   */
  public boolean identify(Channel connection) {
    OwnedSlots.Slot slot = connection.attr(ACCEPTED).get().slot;
    Object origin = ChannelAddresses.origin(connection);
    return slot != null && origin != null && gate.identify(slot, origin);
  }

  /**
   * Notes the one that serves a connection and decides whether it makes way for another; on its
   * event loop.
   */
  public static void serve(Channel connection, OwnedSlots.Tenant tenant) {
    connection.attr(ACCEPTED).get().served = tenant;
  }

  private void noteOpen(Accepted accepted) {
    if (accepted.compareAndSet(Accepted.OPENING, Accepted.OPEN)) {
      freePlace();
    }
  }

  private void freePlace() {
    opening.decrementAndGet();
    if (waiting.get() > 0) {
      loop.execute(this::openNext);
    }
  }

  private void end(Accepted accepted) {
    int before = accepted.getAndSet(Accepted.ENDED);
    if (before == Accepted.OPENING) {
      freePlace();
    }
    if (before != Accepted.ENDED) {
      leave(accepted);
    }
  }

  private void leave(Accepted accepted) {
    OwnedSlots.Slot slot = accepted.slot;
    if (slot != null) {
      gate.leave(slot);
    } else {
      refused.decrementAndGet();
    }
  }

  /**
   * Closes the connections that were not handed to an event loop yet, and any that are accepted
   * from now on. To be called before the listeners are closed, because they then forget the handler
   * of their connections.
   */
  public void close() {
    isClosed = true;
    for (Accepted next = poll(); next != null; next = poll()) {
      next.connection.unsafe().closeForcibly();
      leave(next);
    }
  }

  /** Sends a connection the notice that there is no room for it, and ends it; on its event loop. */
  public static void refuse(Channel connection) {
    ByteBuf notice = connection.alloc().directBuffer();
    ResultEncoder.noticeOfDisconnection(
        notice, LdapResult.of(ResultCode.BUSY, "too many connections"));
    connection.writeAndFlush(notice).addListener(ChannelFutureListener.CLOSE);
  }
}
