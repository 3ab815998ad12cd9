package org.nyala.netty;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.metrics.ServerMetrics;

/**
 * The output of one connection that is not sent yet.
 *
 * <p>Confined to the channel's event loop, except for {@link #isOnLoop}, {@link #isHeld}, {@link
 * #isWritable}, {@link #allocate} and {@link #handOver}, which any thread may call. Hot.
 */
final class ConnectionOutput {
  /*
   * On the event loop, all answers between begin() and end() go into one buffer, which is written
   * and flushed once. Other threads fill buffers of their own and hand them over: the first of a
   * batch wakes the loop, which writes all and flushes once. Bytes that were handed over but not
   * yet taken count as waiting for the client.
   */

  /** The bytes that an operation may append before it must hand over. */
  static final int SLICE_BYTES = 256 * 1024;

  /** Room for a full slice and the entry that fills it, so that the buffer need not grow. */
  static final int SLICE_CAPACITY = SLICE_BYTES + 32 * 1024;

  /** The size from which output is worth a system call of its own. */
  private static final int CHUNK_BYTES = 64 * 1024;

  /**
   * Output up to this size is not charged while it waits briefly for the client; {@link #settle}
   * charges it if it stays.
   */
  private static final int FREE_BYTES = 4 * 1024;

  private static final int CAPACITY_MINIMUM = 512;

  private static final AtomicIntegerFieldUpdater<ConnectionOutput> HANDED_OVER_BYTES =
      AtomicIntegerFieldUpdater.newUpdater(ConnectionOutput.class, "handedOverBytes");

  /**
   * A separate allocator, because the pooled one keeps memory for each thread that uses it, and
   * takes a lock for it.
   */
  private static final ByteBufAllocator FOR_VIRTUAL_THREADS = new AdaptiveByteBufAllocator();

  private final ConnectionHandler connection;
  private final Channel channel;
  private final EventLoop loop;
  private final UnsentOutput unsent;
  private final int handoverLimit;
  private final ServerMetrics metrics;
  private final AtomicReference<@Nullable Handover> handovers = new AtomicReference<>();
  private final Runnable drain = this::drain;
  private volatile int handedOverBytes;
  private @Nullable ByteBuf burst;
  private int burstCapacity = CAPACITY_MINIMUM;
  private int depth;
  private boolean unflushed;
  private boolean closed;
  private boolean gone;
  private final MemoryAccount memory;
  private volatile long held;
  private boolean isWatched;
  private long written;

  /** Bytes of another thread on their way to the loop, with an action to run then. */
  private static final class Handover {
    private final NettyResponseSink sink;
    private final @Nullable ByteBuf bytes;
    private final int length;
    private final @Nullable Runnable completion;
    private @Nullable Handover next;

    Handover(NettyResponseSink sink, @Nullable ByteBuf bytes, @Nullable Runnable completion) {
      this.sink = sink;
      this.bytes = bytes;
      this.length = bytes == null ? 0 : bytes.readableBytes();
      this.completion = completion;
    }
  }

  /**
   * Creates the output of a channel.
   *
   * @param connection continues, on the loop, when there is room again
   * @param handoverLimit bytes handed over and not yet taken at which operations wait
   * @param metrics counts what is sent
   * @param memory the account that holds the output that waits for the client
   */
  ConnectionOutput(
      ConnectionHandler connection,
      Channel channel,
      int handoverLimit,
      ServerMetrics metrics,
      MemoryAccount memory) {
    this.memory = memory;
    this.metrics = metrics;
    this.connection = connection;
    this.channel = channel;
    this.unsent = new UnsentOutput(channel);
    this.loop = channel.eventLoop();
    this.handoverLimit = handoverLimit;
  }

  /** Returns whether the caller is on the event loop. Any thread. */
  boolean isOnLoop() {
    return loop.inEventLoop();
  }

  /** Returns whether there is still a connection to hand output to. Any thread. */
  boolean isHeld() {
    return connection.isHeld();
  }

  /** Counts a search result reference. Any thread. */
  void referralSent() {
    metrics.referralsSent().increment();
  }

  /** Returns whether an operation that holds {@code ownBytes} may append more. Any thread. */
  boolean isWritable(int ownBytes) {
    return ownBytes < SLICE_BYTES
        && channel.isWritable()
        && memory.hasRoom()
        && handedOverBytes < handoverLimit
        && (!loop.inEventLoop() || burstBytes() < SLICE_BYTES);
  }

  private int burstBytes() {
    ByteBuf bytes = burst;
    return bytes == null ? 0 : bytes.readableBytes();
  }

  /** Returns a buffer for another thread's answers. Any thread. */
  ByteBuf allocate(int capacity) {
    ByteBufAllocator allocator =
        Thread.currentThread().isVirtual() ? FOR_VIRTUAL_THREADS : channel.alloc();
    return allocator.directBuffer(capacity);
  }

  /** Returns the buffer that all output of the loop is appended to. */
  ByteBuf burst() {
    ByteBuf bytes = burst;
    if (bytes == null) {
      bytes = channel.alloc().directBuffer(burstCapacity);
      burst = bytes;
    }
    return bytes;
  }

  /** Holds back flushing until the matching {@link #end}. */
  void begin() {
    depth++;
  }

  /** Flushes the output if no {@link #begin} is open any more. */
  void end() {
    if (--depth == 0) {
      flush();
    }
  }

  /** Sends what was appended so far, although more may follow at once. */
  void flush() {
    writeBurst();
    if (unflushed) {
      unflushed = false;
      channel.flush();
      long pending = pendingBytes();
      if (pending > FREE_BYTES || held > 0) {
        hold(pending);
      }
    }
  }

  /**
   * Charges the account for the output that waits for the client, and looks again when that was
   * sent.
   */
  private void hold(long pending) {
    long before = held;
    held = pending;
    memory.change(before, pending);
    if (pending > 0 && !isWatched && !gone) {
      isWatched = true;
      channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(this::wasSent);
    }
  }

  /**
   * Looks later: output reported as sent still counts as waiting until all listeners were notified.
   */
  private void wasSent(Future<?> sent) {
    if (sent.isSuccess()) {
      connection.executeLater(this::lookAgain);
    }
  }

  private void lookAgain() {
    isWatched = false;
    boolean hadRoom = memory.hasRoom();
    hold(pendingBytes());
    if (!hadRoom && memory.hasRoom()) {
      connection.goOnLater();
    }
  }

  /** Charges the account for all output that waits now, even if it is little. */
  void settle() {
    hold(pendingBytes());
  }

  /** Returns the number of bytes given to the channel. */
  long written() {
    return written;
  }

  /** Returns the bytes that the account holds for output that waits for the client. Any thread. */
  long held() {
    return held;
  }

  private long pendingBytes() {
    return gone ? 0 : unsent.memory();
  }

  /** Notes that output was appended to the burst, and sends it now if it is large. */
  void appended() {
    if (burstBytes() >= CHUNK_BYTES) {
      flush();
    }
  }

  /** Writes a buffer after everything that was appended before, and takes it over. */
  void write(ByteBuf bytes) {
    writeBurst();
    writeNow(bytes);
  }

  private void writeBurst() {
    ByteBuf bytes = burst;
    if (bytes != null) {
      burst = null;
      burstCapacity =
          Math.clamp(
              Integer.highestOneBit(bytes.readableBytes()) << 1, CAPACITY_MINIMUM, SLICE_BYTES);
      writeNow(bytes);
    }
  }

  private void writeNow(ByteBuf bytes) {
    if (closed || !bytes.isReadable()) {
      bytes.release();
      return;
    }
    unflushed = true;
    written += bytes.readableBytes();
    metrics.bytesSent().add(bytes.readableBytes());
    ChannelFuture _ = channel.write(bytes, channel.voidPromise());
  }

  /**
   * Hands a buffer to the loop. Any other thread.
   *
   * @param sink the sink that the bytes belong to: they are dropped if it is suppressed by then
   * @param bytes the bytes to write, taken over; or null
   * @param completion runs on the loop afterwards; or null
   */
  void handOver(NettyResponseSink sink, @Nullable ByteBuf bytes, @Nullable Runnable completion) {
    Handover handover = new Handover(sink, bytes, completion);
    HANDED_OVER_BYTES.addAndGet(this, handover.length);
    Handover before;
    do {
      before = handovers.get();
      handover.next = before;
    } while (!handovers.compareAndSet(before, handover));
    if (before == null) {
      wakeLoop();
    }
  }

  private void wakeLoop() {
    try {
      loop.execute(drain);
    } catch (RejectedExecutionException e) {
      // The loop has ended, and every channel with it: nothing is sent, but operations still end.
      for (Handover each = takeAll(); each != null; each = each.next) {
        HANDED_OVER_BYTES.addAndGet(this, -each.length);
        if (each.bytes != null) {
          each.bytes.release();
        }
        if (each.completion != null) {
          each.completion.run();
        }
      }
    }
  }

  /** Returns all handovers, the oldest first. */
  private @Nullable Handover takeAll() {
    Handover youngest = handovers.getAndSet(null);
    Handover oldest = null;
    while (youngest != null) {
      Handover next = youngest.next;
      youngest.next = oldest;
      oldest = youngest;
      youngest = next;
    }
    return oldest;
  }

  private void drain() {
    begin();
    try {
      drainAll();
    } finally {
      end();
    }
  }

  private void drainAll() {
    Handover first = takeAll();
    int length = 0;
    for (Handover each = first; each != null; each = each.next) {
      length += each.length;
      take(each);
    }
    int left = HANDED_OVER_BYTES.addAndGet(this, -length);
    for (Handover each = first; each != null; each = each.next) {
      if (each.completion != null) {
        each.completion.run();
      }
    }
    if (left < handoverLimit && left + length >= handoverLimit) {
      connection.goOn();
    }
  }

  private void take(Handover handover) {
    if (handover.bytes == null) {
      return;
    }
    if (handover.sink.isSuppressed()) {
      handover.bytes.release();
    } else {
      write(handover.bytes);
    }
  }

  /** Returns whether bytes wait for the client to read. */
  boolean isPending() {
    return pendingBytes() > 0;
  }

  /**
   * Returns the number of bytes that the client has been sent, as far as the kernel has taken them.
   */
  long sent() {
    return written - (gone ? 0 : unsent.bytes());
  }

  /** Returns a number that changes while the client reads. */
  long progress() {
    return unsent.progress();
  }

  /**
   * Sends the pending output, ends the channel when it is sent, and drops later output.
   *
   * @param lingers true to send an end of stream first and let the client close, so that data that
   *     it still sends does not destroy what was sent to it
   */
  void finish(boolean lingers) {
    writeBurst();
    closed = true;
    unflushed = false;
    channel
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            (ChannelFutureListener)
                last -> {
                  if (lingers && last.isSuccess() && channel instanceof DuplexChannel duplex) {
                    endOutput(duplex);
                  } else {
                    ChannelFuture _ = channel.close();
                  }
                });
    settle();
  }

  /** Ends the output, but not the input: that of TLS with a message that it has ended. */
  private static void endOutput(DuplexChannel channel) {
    SslHandler encryption = channel.pipeline().get(SslHandler.class);
    if (encryption == null) {
      ChannelFuture _ = channel.shutdownOutput();
    } else {
      ChannelFuture _ =
          encryption
              .closeOutbound()
              .addListener(
                  _ -> {
                    ChannelFuture _ = channel.shutdownOutput();
                  });
    }
  }

  /** Notes that the channel is gone. */
  void close() {
    closed = true;
    gone = true;
    hold(0);
    ByteBuf bytes = burst;
    burst = null;
    if (bytes != null) {
      bytes.release();
    }
  }
}
