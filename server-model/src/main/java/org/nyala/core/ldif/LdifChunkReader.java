package org.nyala.core.ldif;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Cuts a stream of LDIF between records into chunks, so that several threads can parse them.
 *
 * <p>Confined to one running operation. Of a record that is longer than the limit only the
 * beginning is kept; the rest is skipped.
 */
public final class LdifChunkReader implements AutoCloseable {
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  private final InputStream input;
  private final int maximumRecordBytes;
  private byte[] carried = {};
  private int carriedLength;
  private long nextLine = 1;
  private boolean started;
  private boolean ended;

  /** Reads {@code input}, which {@link #close} closes. */
  public LdifChunkReader(InputStream input, LdifLimits limits) {
    this.input = input;
    this.maximumRecordBytes = limits.recordBytes();
  }

  /**
   * Fills the chunk with the next whole records, as many as its memory holds and at least one;
   * false if there are none left.
   */
  public boolean next(LdifChunk chunk) throws IOException {
    chunk.firstLine = nextLine;
    chunk.oversized = false;
    takeCarried(chunk);
    int boundary = fillToBoundary(chunk);
    if (chunk.oversized) {
      nextLine += countLines(chunk.bytes, chunk.length);
      skipRestOfRecord(endsWithLineEnd(chunk));
      return true;
    }
    carry(chunk, boundary);
    chunk.length = boundary;
    nextLine += countLines(chunk.bytes, boundary);
    return boundary > 0;
  }

  @Override
  public void close() throws IOException {
    input.close();
  }

  private void takeCarried(LdifChunk chunk) {
    if (chunk.bytes.length < carriedLength) {
      chunk.bytes = new byte[carriedLength];
    }
    System.arraycopy(carried, 0, chunk.bytes, 0, carriedLength);
    chunk.length = carriedLength;
    carriedLength = 0;
  }

  private int fillToBoundary(LdifChunk chunk) throws IOException {
    while (true) {
      read(chunk);
      if (ended) {
        return chunk.length;
      }
      int boundary = lastBoundary(chunk.bytes, chunk.length);
      if (boundary > 0) {
        return boundary;
      }
      if (chunk.length >= maximumRecordBytes) {
        chunk.oversized = true;
        return 0;
      }
      int longer = (int) Math.min(maximumRecordBytes, chunk.bytes.length * 2L);
      chunk.bytes = Arrays.copyOf(chunk.bytes, Math.max(longer, chunk.length + 1));
    }
  }

  private void read(LdifChunk chunk) throws IOException {
    while (!ended && chunk.length < chunk.bytes.length) {
      int count = input.read(chunk.bytes, chunk.length, chunk.bytes.length - chunk.length);
      if (count < 0) {
        ended = true;
      } else {
        chunk.length += count;
      }
    }
    if (!started) {
      started = true;
      skipByteOrderMark(chunk);
    }
  }

  private static void skipByteOrderMark(LdifChunk chunk) {
    int mark = BYTE_ORDER_MARK.length;
    if (chunk.length >= mark && Arrays.equals(chunk.bytes, 0, mark, BYTE_ORDER_MARK, 0, mark)) {
      chunk.length -= mark;
      System.arraycopy(chunk.bytes, mark, chunk.bytes, 0, chunk.length);
    }
  }

  private void carry(LdifChunk chunk, int from) {
    carriedLength = chunk.length - from;
    if (carried.length < carriedLength) {
      carried = new byte[Math.max(carriedLength, 4096)];
    }
    System.arraycopy(chunk.bytes, from, carried, 0, carriedLength);
  }

  /** Returns the index at which the last blank line ends, or 0. */
  private static int lastBoundary(byte[] bytes, int length) {
    for (int i = length - 1; i > 0; i--) {
      if (bytes[i] == '\n') {
        int before = bytes[i - 1] == '\r' ? i - 2 : i - 1;
        if (before >= 0 && bytes[before] == '\n') {
          return i + 1;
        }
      }
    }
    return 0;
  }

  private static long countLines(byte[] bytes, int length) {
    int lines = 0;
    for (int i = 0; i < length; i++) {
      if (bytes[i] == '\n') {
        lines++;
      }
    }
    return lines;
  }

  private static boolean endsWithLineEnd(LdifChunk chunk) {
    int last = chunk.length - 1;
    if (last > 0 && chunk.bytes[last] == '\r') {
      last--;
    }
    return last >= 0 && chunk.bytes[last] == '\n';
  }

  /**
   * Reads up to the next blank line; the bytes that follow it are carried over.
   *
   * @param atLineStart true if the bytes read so far end with a whole line: the blank line may come
   *     at once
   */
  private void skipRestOfRecord(boolean atLineStart) throws IOException {
    byte[] window = new byte[1 << 16];
    boolean lineIsEmpty = atLineStart;
    while (true) {
      int count = input.read(window);
      if (count < 0) {
        ended = true;
        return;
      }
      for (int i = 0; i < count; i++) {
        if (window[i] == '\n') {
          nextLine++;
          if (lineIsEmpty) {
            carried = Arrays.copyOfRange(window, i + 1, count);
            carriedLength = carried.length;
            return;
          }
          lineIsEmpty = true;
        } else if (window[i] != '\r') {
          lineIsEmpty = false;
        }
      }
    }
  }
}
