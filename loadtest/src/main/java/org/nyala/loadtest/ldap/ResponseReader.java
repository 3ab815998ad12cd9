package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Finds messages in what is read from a connection, also those that come in several reads. Confined
 * to the channel's event loop. Hot: a message that comes in one read is not copied.
 */
public final class ResponseReader {
  private static final int SMALLEST_PARTIAL = 1024;

  private final ResponseScanner scanner;
  private @Nullable ByteBuf partial;

  public ResponseReader(ResponseScanner.Listener listener) {
    scanner = new ResponseScanner(listener);
  }

  /**
   * Reports the messages that end in what was read, and keeps what is left; {@code in} stays the
   * caller's.
   *
   * @return false when the bytes are not expected answers
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

  /** Moves to the message begun in an earlier read just what it lacks. */
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

  /** Forgets what is left. */
  public void release() {
    if (partial != null) {
      partial.release();
      partial = null;
    }
  }
}
