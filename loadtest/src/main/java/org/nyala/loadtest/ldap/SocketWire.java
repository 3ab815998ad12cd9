package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The socket of a channel that has connected, read and written without the channel's pipeline: one
 * system call to receive, into a buffer that all connections of the event loop share, and one to
 * send. A client in C does the same; buffers, promises and handlers of the pipeline cost about as
 * much again as everything else that this program does for a request.
 *
 * <p>Confined to the channel's event loop. Hot.
 */
public final class SocketWire implements Wire, EpollIoHandle {
  /** A listener to the socket, on its event loop. */
  public interface Listener {
    /** Notifies that the socket can be used. */
    void opened();

    /** Takes the bytes that one system call read; the buffer is borrowed. */
    void received(ByteBuf in);

    /** Notifies that the socket is closed, by either side. */
    void ended();

    /** Notifies that the listener itself failed, and that the socket is about to be closed. */
    void broken(Throwable cause);
  }

  private static final EpollIoOps WRITABLE_TOO = EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT);

  private final Listener listener;
  private final EpollSocketChannel channel;
  private final Socket socket;
  private final ByteBuf in;
  private final long inAddress;
  private final Queue<ByteBuf> waiting = new ArrayDeque<>();
  private @Nullable IoRegistration registration;
  private boolean isClosed;

  /**
   * Makes a wire that is not open yet.
   *
   * @param in the buffer that is read into and passed to {@link Listener#received}
   */
  private SocketWire(Listener listener, EpollSocketChannel channel, Socket socket, ByteBuf in) {
    this.listener = listener;
    this.channel = channel;
    this.socket = socket;
    this.in = in;
    this.inAddress = in.memoryAddress();
  }

  /** Takes a connected channel over if that can be done; null if it cannot. */
  public static @Nullable SocketWire of(Listener listener, Channel channel, ByteBuf in) {
    return in.hasMemoryAddress()
            && channel instanceof EpollSocketChannel epoll
            && epoll.fd() instanceof Socket socket
        ? new SocketWire(listener, epoll, socket, in)
        : null;
  }

  /**
   * Takes the socket from its channel; then the listener is notified by {@link Listener#opened}, or
   * the channel's handlers are notified that it has been closed meanwhile.
   */
  public void open() {
    ChannelFuture _ = channel.deregister().addListener(_ -> register());
  }

  private void register() {
    if (channel.isOpen()) {
      IoEventLoop loop = (IoEventLoop) channel.eventLoop();
      Future<IoRegistration> _ =
          loop.register(this).addListener(future -> begin((IoRegistration) future.getNow()));
    }
  }

  private void begin(@Nullable IoRegistration registered) {
    registration = registered;
    if (registered == null || isClosed) {
      release();
      listener.ended();
      return;
    }
    registered.submit(EpollIoOps.EPOLLIN);
    listener.opened();
  }

  @Override
  public FileDescriptor fd() {
    return socket;
  }

  @Override
  public void handle(IoRegistration ready, IoEvent event) {
    try {
      if (!waiting.isEmpty() && ((EpollIoEvent) event).ops().contains(EpollIoOps.EPOLLOUT)) {
        sendWaiting(ready);
      }
      int read = isClosed ? 0 : socket.recvAddress(inAddress, 0, in.capacity());
      if (read > 0) {
        in.setIndex(0, read);
        listener.received(in);
      } else if (read < 0) {
        close();
      }
    } catch (IOException e) {
      // The server reset the connection.
      close();
    } catch (RuntimeException | Error e) {
      listener.broken(e);
      close();
    }
  }

  @Override
  public ByteBufAllocator allocator() {
    return channel.alloc();
  }

  @Override
  public boolean send(ByteBuf requests) {
    if (!waiting.isEmpty() || !sendNow(requests)) {
      waiting.add(requests);
      return false;
    }
    requests.clear();
    return true;
  }

  /** Sends as much as the socket takes, and skips it; returns whether that was all. */
  private boolean sendNow(ByteBuf requests) {
    IoRegistration registered = registration;
    if (isClosed || registered == null) {
      return true;
    }
    try {
      int start = requests.readerIndex();
      int sent = socket.sendAddress(requests.memoryAddress(), start, requests.writerIndex());
      requests.skipBytes(sent);
    } catch (IOException e) {
      // The server closed the connection; the next read notices it.
      return true;
    }
    if (requests.isReadable()) {
      registered.submit(WRITABLE_TOO);
      return false;
    }
    return true;
  }

  private void sendWaiting(IoRegistration ready) {
    for (ByteBuf first = waiting.peek(); first != null; first = waiting.peek()) {
      if (!sendNow(first)) {
        return;
      }
      waiting.remove().release();
    }
    ready.submit(EpollIoOps.EPOLLIN);
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      if (registration != null) {
        release();
        tellLater();
      }
    }
  }

  /**
   * Notifies later, not now: the caller may be the connection itself, while it processes its input.
   */
  private void tellLater() {
    try {
      channel.eventLoop().execute(listener::ended);
    } catch (RejectedExecutionException e) {
      listener.ended();
    }
  }

  private void release() {
    if (registration != null) {
      registration.cancel();
    }
    waiting.forEach(ByteBuf::release);
    waiting.clear();
    ChannelFuture _ = channel.close();
  }
}
