package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.DelegatingHandle;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.util.UncheckedBooleanSupplier;
import org.nyala.core.budget.MemoryBudget;

/**
 * The sizes of the buffers that sockets are read into: those that Netty adapts to what comes, and
 * small ones while the reserve of the clients' memory is in use.
 *
 * <p>A connection learns that memory is full after it was read. Many connections that are read once
 * more at the same moment must therefore not take 64 KiB each beyond the bound.
 *
 * <p>Thread-safe; a handle is confined to the event loop of its channel. Hot.
 */
final class BoundedReceipt extends AdaptiveRecvByteBufAllocator {
  /** The bytes of a small buffer: ordinary requests fit. */
  static final int SMALL_BYTES = 1024;

  /** The reads of one socket before others are read: what Netty uses for sockets by itself. */
  private static final int READS = 16;

  private final MemoryBudget budget;

  /** Creates the sizes for connections that share a budget. */
  BoundedReceipt(MemoryBudget budget) {
    this.budget = budget;
    maxMessagesPerRead(READS);
  }

  @Override
  @SuppressWarnings("deprecation") // Netty's own channels take no other type.
  public Handle newHandle() {
    return new Sizes((ExtendedHandle) super.newHandle());
  }

  private final class Sizes extends DelegatingHandle implements ExtendedHandle {
    Sizes(ExtendedHandle adaptive) {
      super(adaptive);
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      return budget.isReserveInUse()
          ? allocator.ioBuffer(SMALL_BYTES)
          : delegate().allocate(allocator);
    }

    @Override
    public int guess() {
      return budget.isReserveInUse() ? SMALL_BYTES : delegate().guess();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier isMoreSupposed) {
      return ((ExtendedHandle) delegate()).continueReading(isMoreSupposed);
    }
  }
}
