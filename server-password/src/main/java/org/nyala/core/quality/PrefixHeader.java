package org.nyala.core.quality;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The header of a file of prefixes: the name of the format (8 bytes), its version (4), the size of
 * a prefix (4), the number of prefixes (8), the checksum of all of them (4), and that of the header
 * up to there (4); all numbers are big-endian. The prefixes follow in ascending order, as unsigned
 * big-endian numbers, each one once.
 *
 * <p>Immutable.
 *
 * @param count the number of prefixes
 * @param checksum the CRC-32C of the prefixes
 */
record PrefixHeader(long count, int checksum) {
  static final int BYTES = 32;
  static final int PREFIX_BYTES = Long.BYTES;
  private static final byte[] NAME = "NyalaBrP".getBytes(US_ASCII);
  private static final int VERSION = 1;
  private static final int CHECKED_BYTES = BYTES - Integer.BYTES;

  ByteBuffer encode() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.put(NAME).putInt(VERSION).putInt(PREFIX_BYTES).putLong(count).putInt(checksum);
    return bytes.putInt(ownChecksum(bytes.array())).flip();
  }

  private static int ownChecksum(byte[] bytes) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, 0, CHECKED_BYTES);
    return (int) sum.getValue();
  }

  long fileBytes() {
    return BYTES + count * PREFIX_BYTES;
  }

  /**
   * Reads the header of a file.
   *
   * @param name the file, in messages
   * @throws DamagedListException if it is none, or the file has another size than it says
   */
  static PrefixHeader read(FileChannel channel, String name) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    int read = 0;
    while (read >= 0 && bytes.hasRemaining()) {
      read = channel.read(bytes, bytes.position());
    }
    byte[] begin = Arrays.copyOf(bytes.array(), NAME.length);
    if (bytes.hasRemaining() || !Arrays.equals(begin, NAME)) {
      throw new DamagedListException(name + " is no list of breached passwords");
    }
    bytes.position(NAME.length);
    int version = bytes.getInt();
    if (version != VERSION) {
      throw new DamagedListException(
          name + " is a list of breached passwords of another version, " + version);
    }
    int prefixBytes = bytes.getInt();
    PrefixHeader header = new PrefixHeader(bytes.getLong(), bytes.getInt());
    if (bytes.getInt() != ownChecksum(bytes.array())
        || prefixBytes != PREFIX_BYTES
        || header.count < 0
        || header.count > (Long.MAX_VALUE - BYTES) / PREFIX_BYTES) {
      throw new DamagedListException(name + ": the header is damaged");
    }
    long size = channel.size();
    if (size != header.fileBytes()) {
      throw new DamagedListException(
          name + " has " + size + " bytes, and should have " + header.fileBytes());
    }
    return header;
  }
}
