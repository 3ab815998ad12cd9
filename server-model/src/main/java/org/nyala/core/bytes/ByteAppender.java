package org.nyala.core.bytes;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A growable array of bytes for building keys and normalised values without allocating per value.
 * It holds at most {@link #MAXIMUM_LENGTH} bytes; an append beyond that throws an {@link
 * IllegalStateException} and leaves the content as it was.
 *
 * <p>Confined to one running operation. {@link #array()} is borrowed: it is valid until the next
 * append.
 */
public final class ByteAppender {
  /** The most bytes that an appender holds: the longest array that every JVM can make. */
  public static final int MAXIMUM_LENGTH = Integer.MAX_VALUE - 8;

  private byte[] bytes;
  private int length;

  /** Creates an appender that grows when more than {@code initialCapacity} bytes are appended. */
  public ByteAppender(int initialCapacity) {
    bytes = new byte[Math.max(16, initialCapacity)];
  }

  /** Clears the content and keeps the capacity. */
  public ByteAppender clear() {
    length = 0;
    return this;
  }

  /** Appends the low eight bits of {@code value}. */
  public ByteAppender append(int value) {
    if (length == bytes.length) {
      grow(1);
    }
    bytes[length++] = (byte) value;
    return this;
  }

  /** Appends a range of an array. */
  public ByteAppender append(byte[] source, int offset, int count) {
    if (bytes.length - length < count) {
      grow(count);
    }
    System.arraycopy(source, offset, bytes, length, count);
    length += count;
    return this;
  }

  /** Appends a whole array. */
  public ByteAppender append(byte[] source) {
    return append(source, 0, source.length);
  }

  /**
   * Appends {@code count} bytes of {@code source} from the absolute {@code index}; the position
   * does not move.
   */
  public ByteAppender append(ByteBuffer source, int index, int count) {
    if (bytes.length - length < count) {
      grow(count);
    }
    source.get(index, bytes, length, count);
    length += count;
    return this;
  }

  /** Appends eight bytes, most significant first. */
  public ByteAppender appendLong(long value) {
    return appendInt((int) (value >>> 32)).appendInt((int) value);
  }

  /** Appends four bytes, most significant first. */
  public ByteAppender appendInt(int value) {
    return appendShort(value >>> 16).appendShort(value);
  }

  /** Appends two bytes, most significant first. */
  public ByteAppender appendShort(int value) {
    return append(value >>> 8).append(value);
  }

  /** The bytes, of which the first {@link #length()} count. Borrowed until the next append. */
  public byte[] array() {
    return bytes;
  }

  /** Returns the number of bytes appended since the last clear. */
  public int length() {
    return length;
  }

  /** Cuts the content back to its first {@code newLength} bytes. */
  public void truncate(int newLength) {
    if (newLength < 0 || newLength > length) {
      throw new IllegalArgumentException("newLength " + newLength + " of " + length);
    }
    length = newLength;
  }

  public byte byteAt(int index) {
    return bytes[index];
  }

  /**
   * Makes room for {@code count} more bytes and returns the array to which to write them, from
   * {@link #length()} on; {@link #advance} adds them to the content.
   */
  public byte[] reserve(int count) {
    if (bytes.length - length < count) {
      grow(count);
    }
    return bytes;
  }

  /** Adds {@code count} bytes that were written after {@link #reserve} to the content. */
  public void advance(int count) {
    length += count;
  }

  /** A copy of the content. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, length);
  }

  /** Returns whether the content equals the given range. */
  public boolean contentEquals(byte[] other, int offset, int count) {
    return Arrays.equals(bytes, 0, length, other, offset, offset + count);
  }

  private void grow(int count) {
    bytes = Arrays.copyOf(bytes, grownCapacity(bytes.length, length, count));
  }

  /** The capacity for {@code count} bytes more than {@code length}: double if that is enough. */
  static int grownCapacity(int capacity, int length, int count) {
    long needed = (long) length + count;
    if (needed > MAXIMUM_LENGTH) {
      throw new IllegalStateException(
          needed + " bytes are more than the " + MAXIMUM_LENGTH + " that an array can hold");
    }
    return (int) Math.min(Math.max(2L * capacity, needed), MAXIMUM_LENGTH);
  }
}
