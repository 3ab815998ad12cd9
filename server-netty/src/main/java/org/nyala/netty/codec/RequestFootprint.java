package org.nyala.netty.codec;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * The memory that a message takes when it is decoded, found by its structure before that: two bytes
 * of an empty value become an array, a reference and the objects around both. The values of
 * controls and of extended requests count as what they are decoded to later.
 *
 * <p>Confined to one thread at a time. Hot: most messages are small and are not measured.
 */
public final class RequestFootprint {
  /** Messages of at most this length take no more than a few kilobytes, and are not charged. */
  public static final int FREE_BYTES = 256;

  /** The memory of a decoded element: an array or a text, and its places in lists. */
  private static final int ELEMENT_BYTES = 48;

  /**
   * The elements of a message that is not charged: more than one of {@link #FREE_BYTES} has, and
   * than an Abandon or Unbind with controls.
   */
  private static final int FREE_ELEMENTS = 256;

  private static final int CONSTRUCTED = 0x20;

  /** The bits of a first octet which mean that the tag continues (X.690, section 8.1.2.4). */
  private static final int MORE_OCTETS = 0x1f;

  private static final int REQUEST_VALUE = 0x81;

  private long bytes;
  private int elements;
  private int messageId;
  private int tag;
  private int operationEnd;

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
    operationEnd = length;
    int before = LdapTags.NONE;
    int at = 0;
    while (at < length && elements <= most) {
      int kind = source.get(at) & 0xff;
      at = tagEnd(source, at, length);
      int content = contentLength(source, at, length);
      at += headerOctets(source, at, length);
      note(source, kind, at, content);
      if ((kind & CONSTRUCTED) == 0) {
        int end = content > length - at ? length : at + content;
        if (isOpaque(kind, before, at)) {
          look(source, at, end, most);
        }
        at = end;
      }
      before = kind;
    }
    // The copy that is decoded from ends with the charge for the bytes that came.
    bytes = length + (long) elements * ELEMENT_BYTES;
  }

  /**
   * Returns whether an element is a value that an operation decodes later: of an extended request,
   * or of a control, behind the operation.
   */
  private boolean isOpaque(int kind, int before, int at) {
    return at > operationEnd
        ? kind == LdapTags.OCTET_STRING && before != LdapTags.SEQUENCE
        : kind == REQUEST_VALUE && tag == LdapTags.EXTENDED_REQUEST;
  }

  /** Counts the elements in a value, which may be no BER: some are counted then, too. */
  private void look(ByteBuffer source, int from, int end, int most) {
    int at = from;
    while (at < end && elements <= most) {
      boolean isConstructed = (source.get(at) & CONSTRUCTED) != 0;
      at = tagEnd(source, at, end);
      int content = isConstructed ? 0 : contentLength(source, at, end);
      at += headerOctets(source, at, end);
      at = content > end - at ? end : at + content;
      elements++;
    }
  }

  /** Returns the end of a tag, which may have several octets in what readers skip. */
  private static int tagEnd(ByteBuffer source, int start, int end) {
    int at = start + 1;
    if ((source.get(start) & MORE_OCTETS) == MORE_OCTETS) {
      while (at < end && source.get(at) < 0) {
        at++;
      }
      at++;
    }
    return at;
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
      operationEnd = (int) Math.min((long) at + content, source.limit());
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

  /**
   * Returns the elements that memory was taken for.
   *
   * @param length the length of the message
   * @param held the bytes taken for it; 0 for none
   */
  public static int elements(int length, long held) {
    return held == 0 ? FREE_ELEMENTS : (int) ((held - length) / ELEMENT_BYTES);
  }

  /** Returns the bytes it takes; a lower bound if it was not measured to its end. */
  public long bytes() {
    return bytes;
  }

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
