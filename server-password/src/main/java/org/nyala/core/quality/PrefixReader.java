package org.nyala.core.quality;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/**
 * Reads a file of prefixes from first to last, and checks that they are in order and undamaged.
 *
 * <p>Confined to one thread.
 */
final class PrefixReader {
  private static final int BUFFER_BYTES = 1 << 16;

  private final FileChannel channel;
  private final String name;
  private final PrefixHeader header;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
  private final CRC32C checksum = new CRC32C();
  private long read;
  private long current;

  /**
   * Reads the header; the channel stays its owner's.
   *
   * @param name the file, in messages
   */
  PrefixReader(FileChannel channel, String name) throws IOException {
    this.channel = channel;
    this.name = name;
    header = PrefixHeader.read(channel, name);
  }

  /**
   * Goes to the next prefix, or the first one.
   *
   * @return false if there are no more
   * @throws DamagedListException if the file is not sound
   */
  boolean advance() throws IOException {
    if (read == header.count()) {
      if ((int) checksum.getValue() != header.checksum()) {
        throw new DamagedListException(name + " is damaged: the checksum differs");
      }
      return false;
    }
    if (!buffer.hasRemaining()) {
      fill();
    }
    long next = buffer.getLong();
    if (read > 0 && Long.compareUnsigned(next, current) <= 0) {
      throw new DamagedListException(name + " is damaged: prefix " + read + " is not in order");
    }
    current = next;
    read++;
    return true;
  }

  private void fill() throws IOException {
    buffer.clear();
    long at = PrefixHeader.BYTES + read * PrefixHeader.PREFIX_BYTES;
    buffer.limit((int) Math.min(BUFFER_BYTES, header.fileBytes() - at));
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, at + buffer.position()) < 0) {
        throw new DamagedListException(name + " has become shorter");
      }
    }
    checksum.update(buffer.flip());
    buffer.rewind();
  }

  /** Returns the prefix that was read last. */
  long current() {
    return current;
  }
}
