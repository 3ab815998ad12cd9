package org.nyala.loadtest.generate;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Base64;

/**
 * An LDIF that is written (RFC 2849), with lines as long as their values. Values that are no {@code
 * SAFE-STRING}, or end in a space, are in base64. Confined to one thread.
 */
public final class LdifOutput implements AutoCloseable {
  private static final int FLUSH_BYTES = 1 << 16;

  private final OutputStream stream;
  private final ByteBuf pending = Unpooled.buffer(2 * FLUSH_BYTES);

  /** Writes to a stream, which {@link #close} closes. */
  public LdifOutput(OutputStream stream) {
    this.stream = stream;
  }

  /** Writes a line, in the form that the value needs. */
  void line(byte[] name, byte[] value, int start, int end) throws IOException {
    if (isSafe(value, start, end)) {
      raw(name, ": ", value, start, end);
    } else {
      byte[] encoded = Base64.getEncoder().encode(Arrays.copyOfRange(value, start, end));
      raw(name, ":: ", encoded, 0, encoded.length);
    }
  }

  /**
   * Writes a line as it is.
   *
   * @param separator the text between the name and the value
   */
  void raw(byte[] name, String separator, byte[] value, int start, int end) throws IOException {
    pending.writeBytes(name).writeCharSequence(separator, US_ASCII);
    pending.writeBytes(value, start, end - start).writeByte('\n');
    flush(FLUSH_BYTES);
  }

  /** Ends an entry. */
  void end() {
    pending.writeByte('\n');
  }

  private void flush(int bytes) throws IOException {
    if (pending.writerIndex() >= bytes) {
      stream.write(pending.array(), 0, pending.writerIndex());
      pending.clear();
    }
  }

  private static boolean isSafe(byte[] value, int start, int end) {
    if (start == end) {
      return true;
    }
    byte first = value[start];
    if (first == ' ' || first == ':' || first == '<' || value[end - 1] == ' ') {
      return false;
    }
    for (int at = start; at < end; at++) {
      byte b = value[at];
      if (b <= 0 || b == '\n' || b == '\r') {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    try (stream) {
      flush(1);
    }
  }
}
