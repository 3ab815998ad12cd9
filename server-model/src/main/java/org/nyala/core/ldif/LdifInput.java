package org.nyala.core.ldif;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;

/**
 * A stream of LDIF that may be compressed: gzip (RFC 1952) and zstd (RFC 8878) are recognised by
 * their first bytes, with which no LDIF begins, and unpacked.
 *
 * <p>Confined to one running operation. Data that is damaged, cut off or followed by other bytes is
 * an {@link IOException}, never an early end. A zstd frame may need a window of up to 128 MiB, the
 * bound of the command {@code zstd}.
 */
public final class LdifInput extends InputStream {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int MAGIC_BYTES = 4;

  private enum Packing {
    NONE("plain"),
    GZIP("gzip"),
    ZSTD("zstd"),
    BZIP2("bzip2"),
    XZ("xz");

    private final String program;

    Packing(String program) {
      this.program = program;
    }
  }

  private final Packing packing;
  private final CountedInput source;
  private final InputStream content;

  private LdifInput(Packing packing, CountedInput source, InputStream content) {
    this.packing = packing;
    this.source = source;
    this.content = content;
  }

  /**
   * Begins to read a stream, which {@link #close} closes.
   *
   * @throws IOException if it cannot be read, or is packed in another way that is known; the stream
   *     is closed then
   */
  public static LdifInput open(InputStream stream) throws IOException {
    LdifInput opened = null;
    try {
      BufferedInputStream peeked = new BufferedInputStream(stream, BUFFER_BYTES);
      peeked.mark(MAGIC_BYTES);
      Packing packing = packing(peeked.readNBytes(MAGIC_BYTES));
      peeked.reset();
      CountedInput source = new CountedInput(peeked);
      opened = new LdifInput(packing, source, content(packing, source));
      return opened;
    } finally {
      if (opened == null) {
        stream.close();
      }
    }
  }

  private static Packing packing(byte[] start) {
    if (startsWith(start, 0x1f, 0x8b)) {
      return Packing.GZIP;
    }
    boolean isSkippable =
        start.length == MAGIC_BYTES
            && (start[0] & 0xf0) == 0x50
            && start[1] == 0x2a
            && start[2] == 0x4d
            && start[3] == 0x18;
    if (isSkippable || startsWith(start, 0x28, 0xb5, 0x2f, 0xfd)) {
      return Packing.ZSTD;
    }
    if (startsWith(start, 'B', 'Z', 'h')) {
      return Packing.BZIP2;
    }
    return startsWith(start, 0xfd, '7', 'z', 'X') ? Packing.XZ : Packing.NONE;
  }

  private static boolean startsWith(byte[] start, int... magic) {
    if (start.length < magic.length) {
      return false;
    }
    for (int i = 0; i < magic.length; i++) {
      if ((start[i] & 0xff) != magic[i]) {
        return false;
      }
    }
    return true;
  }

  private static InputStream content(Packing packing, CountedInput source) throws IOException {
    try {
      return switch (packing) {
        case NONE -> source;
        case GZIP -> new GzipInput(source);
        case ZSTD -> new ZstdInput(source);
        case BZIP2, XZ -> throw new IOException(unpackFirst(packing));
      };
    } catch (LinkageError e) {
      throw new IOException("zstd's native library cannot be loaded; " + unpackFirst(packing), e);
    }
  }

  private static String unpackFirst(Packing packing) {
    return String.format(
        Locale.ROOT,
        "compressed by %1$s: unpack it first, as in '%1$s -dc FILE | nyala import -'",
        packing.program);
  }

  /**
   * Returns the number of bytes taken from the stream so far, as they are there: of compressed data
   * fewer than were read here.
   */
  public long sourceBytes() {
    return source.count();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    try {
      return content.read(target, offset, length);
    } catch (IOException e) {
      throw packing == Packing.NONE ? e : damaged(e);
    }
  }

  private IOException damaged(IOException e) {
    return new IOException(
        "the "
            + packing.program
            + " data cannot be unpacked, "
            + sourceBytes()
            + " bytes in: "
            + e.getMessage(),
        e);
  }

  @Override
  public void close() throws IOException {
    content.close();
  }
}
