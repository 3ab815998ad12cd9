package org.nyala.netty.codec;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * The memory that a message takes when it is decoded, found by its structure before that: two bytes
 * of an empty value become an array, a reference and the objects around both.
 *
 * <p>Confined to one thread at a time. Hot: most messages are small and are not measured.
 */
public final class RequestFootprint {
  /** Messages of at most this length take no more than a few kilobytes, and are not charged. */
  public static final int FREE_BYTES = 256;

  /** The memory of a decoded element: an array or a text, and its places in lists. */
  private static final int ELEMENT_BYTES = 48;

  private static final int CONSTRUCTED = 0x20;

  private long bytes;
  private int elements;
  private int messageId;
  private int tag;

  /**
   * Measures the message in {@code length} bytes from {@code index}.
   *
   * @param most the number of elements after which measuring stops
   */
  public void measure(ByteBuf message, int index, int length, int most) {
    // Byte by byte, this view is faster than the buffer itself.
    ByteBuffer source = message.nioBuffer(index, length);
    elements = 0;
    messageId = 0;
    tag = LdapTags.NONE;
    int end = length;
    int at = 0;
    while (at < end && elements <= most) {
      int kind = source.get(at++);
      int content = contentLength(source, at, end);
      at += headerOctets(source, at, end);
      note(source, kind & 0xff, at, content);
      if ((kind & CONSTRUCTED) == 0) {
        at = content > end - at ? end : at + content;
      }
    }
    // The copy that is decoded from lives as long as the decoding.
    bytes = length + (long) elements * ELEMENT_BYTES;
  }

  /** Notes the message id, which is the second element, and the operation, which is the third. */
  private void note(ByteBuffer source, int kind, int at, int content) {
    elements++;
    if (elements == 2 && kind == LdapTags.INTEGER && content > 0 && content <= 4) {
      int value = at + content <= source.limit() ? source.get(at) : 0;
      for (int i = 1; i < content && at + i < source.limit(); i++) {
        value = value << 8 | (source.get(at + i) & 0xff);
      }
      messageId = value;
    } else if (elements == 3) {
      tag = kind;
    }
  }

  /**
   * Returns the length in the header, or 0 if the header is incomplete, which decoding will find
   * out.
   */
  private static int contentLength(ByteBuffer source, int at, int end) {
    if (at >= end) {
      return 0;
    }
    int length = source.get(at);
    if (length >= 0) {
      return length;
    }
    int octets = length & 0x7f;
    int value = 0;
    for (int i = 1; i <= octets && at + i < end; i++) {
      value = value << 8 | (source.get(at + i) & 0xff);
    }
    return value < 0 ? Integer.MAX_VALUE : value;
  }

  private static int headerOctets(ByteBuffer source, int at, int end) {
    int first = at < end ? source.get(at) : 0;
    return first >= 0 ? 1 : 1 + (first & 0x7f);
  }

  /** Returns the bytes it takes; a lower bound if it was not measured to its end. */
  public long bytes() {
    return bytes;
  }

  /** Returns the number of elements. */
  public int elements() {
    return elements;
  }

  /** Returns its message id; at most 0 if it has none. */
  public int messageId() {
    return messageId;
  }

  /** Returns the tag of its operation. */
  public int tag() {
    return tag;
  }

  /** Returns whether the client can be notified that it is refused. */
  public boolean isAnswerable() {
    return messageId > 0 && LdapTags.isRequest(tag) && LdapTags.responseTo(tag) != LdapTags.NONE;
  }
}
