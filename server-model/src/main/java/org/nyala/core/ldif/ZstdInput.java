package org.nyala.core.ldif;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.zip.ZipException;

/**
 * The content of one or more zstd frames (RFC 8878) up to the end of a stream. The stream of the
 * library takes a second frame that is cut off for the end; this one rejects it.
 *
 * <p>Confined to one running operation. Its memory is outside the heap: two buffers of 128 KiB and
 * the window of the frame.
 */
final class ZstdInput extends InputStream {
  private static final int BUFFER_BYTES = 1 << 17;

  private final InputStream source;
  private final ZstdDecompressCtx context = new ZstdDecompressCtx();
  private final byte[] taken = new byte[BUFFER_BYTES];
  private final ByteBuffer packed = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
  private final ByteBuffer content = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
  private boolean isBetweenFrames;
  private boolean isFull;

  ZstdInput(InputStream source) {
    this.source = source;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (!content.hasRemaining()) {
      // A full buffer may leave content in the library, without a byte of input.
      if (!packed.hasRemaining() && !isFull && !fill()) {
        return -1;
      }
      unpack();
    }
    int count = Math.min(length, content.remaining());
    content.get(target, offset, count);
    return count;
  }

  /** Takes bytes from the source; false at its end, which must be the end of a frame. */
  private boolean fill() throws IOException {
    int count = source.read(taken, 0, taken.length);
    if (count < 0) {
      if (!isBetweenFrames) {
        throw new EOFException("it ends within a frame");
      }
      return false;
    }
    packed.clear().put(taken, 0, count).flip();
    return true;
  }

  private void unpack() throws IOException {
    content.clear();
    try {
      isBetweenFrames = context.decompressDirectByteBufferStream(content, packed);
    } catch (ZstdException e) {
      throw new ZipException(e.getMessage());
    }
    isFull = !content.hasRemaining() && !isBetweenFrames;
    content.flip();
  }

  @Override
  public void close() throws IOException {
    context.close();
    source.close();
  }
}
