package org.nyala.core.ldif;

import java.io.IOException;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * The content of one or more gzip members (RFC 1952) up to the end of a stream. The JDK's class
 * takes bytes that are no member for the end; this one rejects them, because they may be a damaged
 * member.
 *
 * <p>Confined to one running operation.
 */
final class GzipInput extends GZIPInputStream {
  private static final int BUFFER_BYTES = 1 << 16;

  /** Check sum and length behind the data of a member (RFC 1952, section 2.3.1). */
  private static final int TRAILER_BYTES = 8;

  private final CountedInput source;
  private long countAtFill;

  /** Reads the header of the first member. */
  GzipInput(CountedInput source) throws IOException {
    super(source, BUFFER_BYTES);
    this.source = source;
    this.countAtFill = source.count();
  }

  @Override
  protected void fill() throws IOException {
    super.fill();
    countAtFill = source.count();
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int taken = super.read(target, offset, length);
    if (taken < 0) {
      requireEnd();
    }
    return taken;
  }

  private void requireEnd() throws IOException {
    long behindData = inf.getRemaining() + source.count() - countAtFill;
    if (behindData != TRAILER_BYTES || source.read() >= 0) {
      throw new ZipException("there are bytes behind the end that are no gzip data");
    }
  }
}
