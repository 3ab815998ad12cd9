package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;

/**
 * What one connection has received and nobody has decoded yet. Usually one buffer as the socket
 * filled it; only what arrives in pieces is copied together.
 *
 * <p>Confined to the channel's event loop. Hot.
 */
final class ConnectionInput {
  private final ByteBufAllocator allocator;
  private int expected;
  private ByteBuf bytes = Unpooled.EMPTY_BUFFER;

  /** Creates an input without bytes. */
  ConnectionInput(ByteBufAllocator allocator) {
    this.allocator = allocator;
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
      // Twice what is there: a long message that comes in pieces is copied a few times, not each
      // time.
      ByteBuf larger = allocator.directBuffer(capacity(bytes.readableBytes() + count));
      larger.writeBytes(bytes);
      bytes.release();
      bytes = larger;
    }
    bytes.writeBytes(more);
    more.release();
  }

  /** No more than the message needs, as far as that is known. */
  private int capacity(int needed) {
    int usual = (int) Math.min(2L * needed, Integer.MAX_VALUE - 8);
    return needed <= expected ? Math.min(usual, expected) : usual;
  }

  /** Says how long the message is of which the beginning has come. */
  void expect(int length) {
    expected = length;
  }

  /** How much memory it takes, if it holds anything. */
  int heldBytes() {
    return bytes.isReadable() ? bytes.capacity() : 0;
  }

  /** What there is. Borrowed: valid until the next call. */
  ByteBuf bytes() {
    return bytes;
  }

  /** Whether there is anything. */
  boolean isReadable() {
    return bytes.isReadable();
  }

  /** Lets go of memory that holds nothing any more. */
  void trim() {
    if (!bytes.isReadable()) {
      release();
    }
  }

  /** Forgets everything. */
  void release() {
    bytes.release();
    bytes = Unpooled.EMPTY_BUFFER;
  }
}
