package org.nyala.core.ldif;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.nyala.core.bytes.ByteAppender;

/**
 * Writes records as LDIF (RFC 2849). Values that are no {@code SAFE-STRING}, or end in a space, are
 * written in base64.
 *
 * <p>Confined to one running operation.
 */
public final class LdifWriter implements AutoCloseable {
  /** The longest line that RFC 2849 examples and other servers write. */
  public static final int DEFAULT_COLUMNS = 76;

  /** Lines are as long as their values. */
  public static final int NO_FOLDING = 0;

  private static final int FLUSH_BYTES = 1 << 16;
  private static final byte[] DN = {'d', 'n'};
  private static final byte[] ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
          .getBytes(StandardCharsets.US_ASCII);

  private final OutputStream output;
  private final int columns;
  private final ByteAppender line = new ByteAppender(1024);
  private final ByteAppender pending = new ByteAppender(FLUSH_BYTES + 4096);

  /**
   * Writes to {@code output}, which {@link #close} closes.
   *
   * @param output the stream
   * @param columns the longest line in bytes, at least 2, or {@link #NO_FOLDING}
   */
  public LdifWriter(OutputStream output, int columns) {
    if (columns == 1 || columns < 0) {
      throw new IllegalArgumentException("columns " + columns);
    }
    this.output = output;
    this.columns = columns;
  }

  /** Writes a comment of one line; line ends in it become spaces. */
  public void comment(String text) throws IOException {
    String oneLine = "# " + text.replace('\n', ' ').replace('\r', ' ') + '\n';
    pending.append(oneLine.getBytes(StandardCharsets.UTF_8));
    flushIfFull();
  }

  /** Begins a record. */
  public void dn(byte[] dn) throws IOException {
    attribute(DN, dn, 0, dn.length);
  }

  /** Writes an attribute line. */
  public void attribute(byte[] name, byte[] value, int offset, int length) throws IOException {
    line.clear();
    line.append(name).append(':');
    if (isSafe(value, offset, length)) {
      if (length > 0) {
        line.append(' ').append(value, offset, length);
      }
    } else {
      line.append(':').append(' ');
      encode(value, offset, length);
    }
    fold();
    flushIfFull();
  }

  /** Ends a record. */
  public void end() throws IOException {
    pending.append('\n');
    flushIfFull();
  }

  /** Writes text that is LDIF already, and a line end if it lacks one. */
  public void raw(byte[] text, int offset, int length) throws IOException {
    pending.append(text, offset, length);
    if (length > 0 && text[offset + length - 1] != '\n') {
      pending.append('\n');
    }
    flushIfFull();
  }

  /** Hands everything to the stream and flushes it. */
  public void flush() throws IOException {
    output.write(pending.array(), 0, pending.length());
    pending.clear();
    output.flush();
  }

  @Override
  public void close() throws IOException {
    try (output) {
      flush();
    }
  }

  private void flushIfFull() throws IOException {
    if (pending.length() >= FLUSH_BYTES) {
      output.write(pending.array(), 0, pending.length());
      pending.clear();
    }
  }

  private void fold() {
    byte[] text = line.array();
    int length = line.length();
    if (columns == NO_FOLDING || length <= columns) {
      pending.append(text, 0, length).append('\n');
      return;
    }
    pending.append(text, 0, columns).append('\n');
    for (int at = columns; at < length; at += columns - 1) {
      int count = Math.min(columns - 1, length - at);
      pending.append(' ').append(text, at, count).append('\n');
    }
  }

  private static boolean isSafe(byte[] value, int offset, int length) {
    if (length == 0) {
      return true;
    }
    int first = value[offset];
    if (first == ' ' || first == ':' || first == '<' || value[offset + length - 1] == ' ') {
      return false;
    }
    for (int i = offset; i < offset + length; i++) {
      int b = value[i];
      if (b <= 0 || b == '\n' || b == '\r') {
        return false;
      }
    }
    return true;
  }

  private void encode(byte[] value, int offset, int length) {
    int at = offset;
    int end = offset + length;
    for (; end - at >= 3; at += 3) {
      int bits = (value[at] & 0xff) << 16 | (value[at + 1] & 0xff) << 8 | value[at + 2] & 0xff;
      digit(bits >>> 18).digit(bits >>> 12).digit(bits >>> 6).digit(bits);
    }
    if (end - at == 1) {
      int bits = (value[at] & 0xff) << 16;
      digit(bits >>> 18).digit(bits >>> 12).line.append('=').append('=');
    } else if (end - at == 2) {
      int bits = (value[at] & 0xff) << 16 | (value[at + 1] & 0xff) << 8;
      digit(bits >>> 18).digit(bits >>> 12).digit(bits >>> 6).line.append('=');
    }
  }

  private LdifWriter digit(int bits) {
    line.append(ALPHABET[bits & 63]);
    return this;
  }
}
