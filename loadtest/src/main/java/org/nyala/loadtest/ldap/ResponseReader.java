package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A reader that finds messages in the bytes of a connection, also those that come in several reads.
 * Confined to the channel's event loop. Hot: a message that comes in one read is not copied.
 */
public final class ResponseReader {
  private static final int SMALLEST_PARTIAL = 1024;

  private final ResponseScanner scanner;
  private @Nullable ByteBuf partial;

  public ResponseReader(ResponseScanner.Listener listener) {
    scanner = new ResponseScanner(listener);
  }

  /**
   * Reports the messages that end in these bytes, and keeps the rest; {@code in} stays the
   * caller's.
   *
   * @return false if the bytes are not expected answers
   */
  public boolean read(ByteBufAllocator allocator, ByteBuf in) {
    if (!completePartial(in) || !scanner.scan(in)) {
      return false;
    }
    if (in.isReadable()) {
      ByteBuf rest = allocator.buffer(Math.max(SMALLEST_PARTIAL, in.readableBytes() * 2));
      partial = rest.writeBytes(in);
    }
    return true;
  }

  /** Moves exactly the missing bytes to the message that began in an earlier read. */
  private boolean completePartial(ByteBuf in) {
    ByteBuf begun = partial;
    if (begun == null) {
      return true;
    }
    while (in.isReadable() && begun.isReadable()) {
      begun.writeBytes(in, Math.min(scanner.missing(begun), in.readableBytes()));
      if (!scanner.scan(begun)) {
        return false;
      }
    }
    if (!begun.isReadable()) {
      release();
    }
    return true;
  }

  /** Discards the rest. */
  public void release() {
    if (partial != null) {
      partial.release();
      partial = null;
    }
  }
}
