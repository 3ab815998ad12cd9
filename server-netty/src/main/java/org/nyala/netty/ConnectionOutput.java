package org.nyala.netty;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.metrics.ServerMetrics;

/**
 * The output of one connection that is not sent yet.
 *
 * <p>Confined to the channel's event loop, except for {@link #isOnLoop}, {@link #isHeld}, {@link
 * #isWritable}, {@link #tryReserve}, {@link #giveBack}, {@link #charged}, {@link #allocate}, {@link
 * #handOver} and others that say so, which any thread may call. Hot.
 */
final class ConnectionOutput {
  /*
   * On the event loop, all answers between begin() and end() go into one buffer, which is written
   * and flushed once. Other threads fill buffers of their own and hand them over: the first of a
   * batch wakes the loop, which writes all and flushes once. Bytes that were handed over but not
   * yet taken count as waiting for the client.
   *
   * The account is charged before more than FREE_STEP_BYTES of an answer are made, a step at a time:
   * a thread whose operation finds no room for the next step waits as for a client that reads
   * slowly. What was charged goes with the bytes, and ends as the charge for what waits in the
   * channel, or is given back if nothing does. Smaller answers of other threads are free as long as
   * few of them are on their way to the loop.
   */

  /** The bytes of an answer that are made without a charge, and the step of the charge. */
  static final int FREE_STEP_BYTES = SteppedCharge.STEP_BYTES;

  /** The bytes that an operation may append before it must hand over. */
  static final int SLICE_BYTES = 256 * 1024;

  /** Room for a full slice and the entry that fills it, so that the buffer need not grow. */
  static final int SLICE_CAPACITY = SLICE_BYTES + FREE_STEP_BYTES;

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

  private static final AtomicLongFieldUpdater<ConnectionOutput> CHARGED =
      AtomicLongFieldUpdater.newUpdater(ConnectionOutput.class, "charged");

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
  private final HandoverAllowance allowance;
  private long held;
  private long reserved;
  private volatile long charged;
  private final RoomWait room;
  private boolean isWatched;
  private long written;

  /** Bytes of another thread on their way to the loop, with an action to run then. */
  private static final class Handover {
    private final NettyResponseSink sink;
    private final @Nullable ByteBuf bytes;
    private final int length;
    private final int charged;
    private final @Nullable Runnable completion;
    private @Nullable Handover next;

    Handover(
        NettyResponseSink sink,
        @Nullable ByteBuf bytes,
        int charged,
        @Nullable Runnable completion) {
      this.charged = charged;
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
   * @param allowance for small answers on their way to the loop
   */
  ConnectionOutput(
      ConnectionHandler connection,
      Channel channel,
      int handoverLimit,
      ServerMetrics metrics,
      MemoryAccount memory,
      HandoverAllowance allowance) {
    this.room = new RoomWait(connection, memory);
    this.memory = memory;
    this.allowance = allowance;
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
        && (!loop.inEventLoop() || hasRoomInBurst());
  }

  /** Reserves the next step of the burst, if it needs one. */
  private boolean hasRoomInBurst() {
    int bytes = burstBytes();
    int wanted = wanted(bytes);
    return bytes < SLICE_BYTES && (wanted == 0 || reserve(wanted));
  }

  private boolean reserve(int wanted) {
    long more = wanted - reserved;
    if (more > 0) {
      if (!tryReserve(more)) {
        return false;
      }
      reserved += more;
    }
    return true;
  }

  /**
   * Returns the bytes that have to be charged before more than some are appended to: whole steps,
   * with room for the next entries; 0 if they are few.
   */
  static int wanted(int bytes) {
    int with = bytes + FREE_STEP_BYTES / 2;
    return with <= FREE_STEP_BYTES
        ? 0
        : (with + FREE_STEP_BYTES - 1) / FREE_STEP_BYTES * FREE_STEP_BYTES;
  }

  /** Takes memory for an answer that is made off the loop, before it is. Any thread. */
  boolean tryReserve(long bytes) {
    boolean isTaken = memory.tryReserve(bytes);
    if (isTaken) {
      CHARGED.addAndGet(this, bytes);
    }
    return isTaken;
  }

  /**
   * Takes memory for a piece of an answer that is appended as a whole; one that is beyond the
   * shares of connection and owner can have it if nothing else of the connection's answers waits.
   * Any thread.
   */
  boolean tryReservePiece(long bytes) {
    boolean isTaken = tryReserve(bytes);
    if (!isTaken && charged == 0 && memory.tryReserveOfWhole(bytes)) {
      CHARGED.addAndGet(this, bytes);
      return true;
    }
    return isTaken;
  }

  /** Notes that some bytes of the account were taken for an answer elsewhere. Any thread. */
  void takeOver(int bytes) {
    CHARGED.addAndGet(this, bytes);
  }

  /** Returns whether pieces have found no room for too long, not by the client. Any thread. */
  boolean isRoomOverdue() {
    return room.isOverdue(charged > 0 || !channel.isWritable());
  }

  /** Returns the wait for room. Any thread. */
  RoomWait room() {
    return room;
  }

  /** Returns whether a piece of an answer could ever have memory. Any thread. */
  boolean couldReserve(long bytes) {
    return memory.isWithinWhole(bytes);
  }

  /** Gives back memory that was taken for an answer which is not sent. Any thread. */
  void giveBack(int bytes) {
    if (bytes > 0) {
      CHARGED.addAndGet(this, -bytes);
      memory.giveBack(bytes);
    }
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
      if (pending > FREE_BYTES || held > 0 || reserved > 0) {
        hold(pending);
      }
    } else if (reserved > 0) {
      hold(pendingBytes());
    }
  }

  /**
   * Charges the account for the output that waits for the client, and looks again when that was
   * sent.
   */
  private void hold(long pending) {
    long before = held + reserved;
    reserved = 0;
    held = pending;
    if (pending != before) {
      CHARGED.addAndGet(this, pending - before);
      memory.change(before, pending);
    }
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

  /** Returns the bytes that the account holds for output. Any thread. */
  long charged() {
    return charged;
  }

  /** Returns the bytes that the account holds for output that waits for the client. */
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

  /**
   * Writes a buffer after everything that was appended before, and takes it over.
   *
   * @param taken the bytes of the account that were taken for it
   */
  void write(ByteBuf bytes, int taken) {
    reserved += taken;
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
   * @param taken the bytes of the account that were taken for them
   * @param completion runs on the loop afterwards; or null
   */
  void handOver(
      NettyResponseSink sink, @Nullable ByteBuf bytes, int taken, @Nullable Runnable completion) {
    Handover handover = new Handover(sink, bytes, charge(bytes, taken), completion);
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

  /**
   * Charges for bytes that exist, as far as they are not charged and not few; returns the charge.
   */
  private int charge(@Nullable ByteBuf bytes, int taken) {
    if (bytes == null) {
      giveBack(taken);
      return 0;
    }
    int missing = bytes.capacity() - taken;
    if (taken == 0 && allowance.tryTake(bytes.readableBytes())) {
      return 0;
    }
    if (missing > 0) {
      CHARGED.addAndGet(this, missing);
      memory.take(missing);
      return taken + missing;
    }
    return taken;
  }

  /** Ends the time for which bytes were on their way; their charge is due to the loop. */
  private void arrived(Handover handover) {
    if (handover.charged > 0) {
      reserved += handover.charged;
    } else {
      allowance.giveBack(handover.length);
    }
  }

  private void wakeLoop() {
    try {
      loop.execute(drain);
    } catch (RejectedExecutionException e) {
      // The loop has ended, and every channel with it: nothing is sent, but operations still end.
      for (Handover each = takeAll(); each != null; each = each.next) {
        HANDED_OVER_BYTES.addAndGet(this, -each.length);
        giveBackLate(each);
        if (each.bytes != null) {
          each.bytes.release();
        }
        if (each.completion != null) {
          each.completion.run();
        }
      }
    }
  }

  /** Gives back what was taken for bytes that the loop will not take any more. */
  private void giveBackLate(Handover handover) {
    if (handover.charged > 0) {
      giveBack(handover.charged);
    } else {
      allowance.giveBack(handover.length);
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
    arrived(handover);
    if (handover.sink.isSuppressed()) {
      handover.bytes.release();
    } else {
      write(handover.bytes, 0);
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
   * Sends the pending output, ends the channel when it is sent, and drops later output. While a
   * handshake is open nothing can be sent, and the channel ends at once.
   *
   * @param lingers true to send an end of stream first and let the client close, so that data that
   *     it still sends does not destroy what was sent to it
   */
  void finish(boolean lingers) {
    writeBurst();
    closed = true;
    unflushed = false;
    SslHandler encryption = channel.pipeline().get(SslHandler.class);
    if (encryption != null && !encryption.handshakeFuture().isSuccess()) {
      ChannelFuture _ = channel.close();
    } else {
      channel
          .writeAndFlush(Unpooled.EMPTY_BUFFER)
          .addListener(last -> endOutput(lingers && last.isSuccess(), encryption));
    }
    settle();
  }

  /** Ends the output, but not the input if it lingers: that of TLS says first that it ends. */
  private void endOutput(boolean lingers, @Nullable SslHandler encryption) {
    if (!(lingers && channel instanceof DuplexChannel duplex)) {
      ChannelFuture _ = channel.close();
    } else if (encryption == null) {
      ChannelFuture _ = duplex.shutdownOutput();
    } else {
      encryption
          .closeOutbound()
          .addListener(
              _ -> {
                ChannelFuture _ = duplex.shutdownOutput();
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
