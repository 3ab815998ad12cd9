package org.nyala.netty.codec;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * What a message takes in memory when it is decoded, found by its structure before that: two bytes
 * of an empty value become an array, a reference and what looks at both.
 *
 * <p>Confined to one thread at a time. Hot: most messages are small and are not looked at.
 */
public final class RequestFootprint {
  /** Messages of this length take no more than a few kilobytes, and hold nothing. */
  public static final int FREE_BYTES = 256;

  /** What an element becomes: an array or a text, and its places in lists. */
  private static final int ELEMENT_BYTES = 48;

  private static final int CONSTRUCTED = 0x20;

  private long bytes;
  private int elements;
  private int messageId;
  private int tag;

  /**
   * Looks at the message in {@code length} bytes from {@code index}.
   *
   * @param most elements after which it looks no further
   */
  public void measure(ByteBuf message, int index, int length, int most) {
    // Asked byte by byte, it is faster than what it comes in.
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
    // The copy that is decoded from lives for as long as that takes.
    bytes = length + (long) elements * ELEMENT_BYTES;
  }

  /** The second element is the message id, and the third the operation. */
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

  /** What the header says, or nothing where it is not whole: decoding will find that out. */
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

  /** What it takes, in bytes; at least this where it was not looked at to its end. */
  public long bytes() {
    return bytes;
  }

  /** How many elements it has. */
  public int elements() {
    return elements;
  }

  /** Its number; no more than 0 where it has none. */
  public int messageId() {
    return messageId;
  }

  /** What it asks for. */
  public int tag() {
    return tag;
  }

  /** Whether one can be told of it that it is refused. */
  public boolean isAnswerable() {
    return messageId > 0 && LdapTags.isRequest(tag) && LdapTags.responseTo(tag) != LdapTags.NONE;
  }
}
