package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.function.BooleanSupplier;

/**
 * The bytes that one connection has received and that are not decoded yet. Usually one buffer as
 * the socket filled it; only data that arrives in pieces is copied together.
 *
 * <p>Confined to the channel's event loop. Hot.
 */
final class ConnectionInput {
  private final ByteBufAllocator allocator;
  private final BooleanSupplier isMemoryShort;
  private int expected;
  private ByteBuf bytes = Unpooled.EMPTY_BUFFER;

  /**
   * Creates an input without bytes.
   *
   * @param isMemoryShort tells whether no more may be taken than what has come needs
   */
  ConnectionInput(ByteBufAllocator allocator, BooleanSupplier isMemoryShort) {
    this.allocator = allocator;
    this.isMemoryShort = isMemoryShort;
  }

  /** Appends a buffer and takes it over. */
  void add(ByteBuf more) {
    if (!bytes.isReadable()) {
      bytes.release();
      bytes = more;
      return;
    }
    int count = more.readableBytes();
    if (bytes.writableBytes() < count || bytes.refCnt() > 1) {
      // Twice the present size: a long message that comes in pieces is copied a few times, not for
      // each piece.
      ByteBuf larger = allocator.directBuffer(capacity(bytes.readableBytes() + count));
      larger.writeBytes(bytes);
      bytes.release();
      bytes = larger;
    }
    bytes.writeBytes(more);
    more.release();
  }

  /** Returns no more than the message needs, as far as that is known. */
  private int capacity(int needed) {
    if (isMemoryShort.getAsBoolean()) {
      return needed;
    }
    int usual = (int) Math.min(2L * needed, Integer.MAX_VALUE - 8);
    return needed <= expected ? Math.min(usual, expected) : usual;
  }

  /** Sets the length of the message whose beginning has come. */
  void expect(int length) {
    expected = length;
  }

  /** Returns the memory that it takes, if it holds any bytes. */
  int heldBytes() {
    return bytes.isReadable() ? bytes.capacity() : 0;
  }

  /** Returns the bytes. Borrowed: valid until the next call. */
  ByteBuf bytes() {
    return bytes;
  }

  /** Returns whether there are any bytes. */
  boolean isReadable() {
    return bytes.isReadable();
  }

  /** Releases memory that holds nothing any more. */
  void trim() {
    if (!bytes.isReadable()) {
      release();
    }
  }

  /** Returns all bytes, which are the caller's from now on. */
  ByteBuf take() {
    ByteBuf taken = bytes;
    bytes = Unpooled.EMPTY_BUFFER;
    return taken;
  }

  /** Discards all bytes. */
  void release() {
    bytes.release();
    bytes = Unpooled.EMPTY_BUFFER;
  }
}
