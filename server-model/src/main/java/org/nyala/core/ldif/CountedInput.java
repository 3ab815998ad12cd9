package org.nyala.core.ldif;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A stream that counts the bytes that are taken from it.
 *
 * <p>Confined to one running operation.
 */
final class CountedInput extends FilterInputStream {
  private long count;

  CountedInput(InputStream input) {
    super(input);
  }

  /** Returns the number of bytes taken so far. */
  long count() {
    return count;
  }

  @Override
  public int read() throws IOException {
    int value = super.read();
    if (value >= 0) {
      count++;
    }
    return value;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int taken = super.read(target, offset, length);
    if (taken > 0) {
      count += taken;
    }
    return taken;
  }

  @Override
  public long skip(long wanted) throws IOException {
    long skipped = super.skip(wanted);
    count += skipped;
    return skipped;
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
