package org.nyala.core.quality;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/**
 * Writes a file of prefixes from first to last. Until it is complete, it has no header.
 *
 * <p>Confined to one thread.
 */
final class PrefixWriter {
  private static final int BUFFER_BYTES = 1 << 18;

  private final FileChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final CRC32C checksum = new CRC32C();
  private long count;
  private long last;

  /** Begins a file; the channel stays its owner's. */
  PrefixWriter(FileChannel channel) throws IOException {
    this.channel = channel;
    channel.position(PrefixHeader.BYTES);
  }

  /** Returns whether a prefix may come next. */
  boolean isInOrder(long prefix) {
    return count == 0 || Long.compareUnsigned(prefix, last) >= 0;
  }

  /** Writes a prefix, which is in order; does nothing if it is the last one again. */
  void write(long prefix) throws IOException {
    if (count > 0 && prefix == last) {
      return;
    }
    if (!buffer.hasRemaining()) {
      flush();
    }
    buffer.putLong(prefix);
    last = prefix;
    count++;
  }

  private void flush() throws IOException {
    buffer.flip();
    checksum.update(buffer);
    buffer.rewind();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
    buffer.clear();
  }

  /** Writes what is missing, the header at last. Returns the number of prefixes. */
  long complete() throws IOException {
    flush();
    ByteBuffer header = new PrefixHeader(count, (int) checksum.getValue()).encode();
    while (header.hasRemaining()) {
      channel.write(header, header.position());
    }
    return count;
  }
}
