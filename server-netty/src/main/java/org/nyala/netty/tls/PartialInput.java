package org.nyala.netty.tls;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;

/**
 * Bounds the encrypted input of which a client has sent a part only, and which nothing behind its
 * handler sees: it is charged, and its connection is closed if it does not become whole in time.
 *
 * <p>Confined to the channel's event loop.
 */
public final class PartialInput {
  private final MemoryAccount memory;
  private final LongSupplier timeoutMillis;
  private long held;
  private long whole;
  private @Nullable Future<?> check;

  /**
   * Begins without input.
   *
   * @param memory the account charged for it
   * @param timeoutMillis the time for which it may be in part; 0 is for ever
   */
  public PartialInput(MemoryAccount memory, LongSupplier timeoutMillis) {
    this.memory = memory;
    this.timeoutMillis = timeoutMillis;
  }

  /**
   * Takes in what waits at the end of a burst.
   *
   * @param bytes the bytes that wait
   * @param wholeSoFar the number of parts that have become whole, to see whether it goes on
   */
  public void waits(ChannelHandlerContext context, long bytes, long wholeSoFar) {
    if (bytes != held) {
      memory.change(held, bytes);
      held = bytes;
    }
    whole = wholeSoFar;
    long millis = timeoutMillis.getAsLong();
    if (held > 0 && check == null && millis > 0) {
      check =
          context
              .executor()
              .schedule(() -> check(context, wholeSoFar), millis, TimeUnit.MILLISECONDS);
    }
  }

  private void check(ChannelHandlerContext context, long wholeBefore) {
    check = null;
    // It is not the client's fault if the rest is not read.
    boolean isReading = context.channel().config().isAutoRead();
    if (held > 0 && whole == wholeBefore && isReading) {
      ChannelFuture _ = context.channel().close();
    } else if (held > 0) {
      waits(context, held, whole);
    }
  }

  /** Gives everything back. Idempotent. */
  public void close() {
    memory.change(held, 0);
    held = 0;
    Future<?> pending = check;
    if (pending != null) {
      check = null;
      boolean _ = pending.cancel(false);
    }
  }
}
