package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * A cursor over BER elements in a borrowed buffer, as far as they are well-formed. Confined to one
 * thread: on a channel, to its event loop.
 */
public final class BerCursor {
  private ByteBuf in = io.netty.buffer.Unpooled.EMPTY_BUFFER;
  private int at;
  private int end;
  private int contentStart;
  private int contentEnd;

  /** Starts before the first element of these bytes. */
  public void reset(ByteBuf buffer, int start, int limit) {
    in = buffer;
    at = start;
    end = limit;
    contentStart = start;
    contentEnd = start;
  }

  /** Returns whether no bytes are left behind the element. */
  public boolean isAtEnd() {
    return at == end;
  }

  /** Returns whether another element follows and has this tag; does not move. */
  boolean isNext(int tag) {
    return at < end && (in.getByte(at) & 0xff) == tag;
  }

  /** Moves to the next element; returns false if it has another tag or is not whole. */
  public boolean next(int tag) {
    if (at + 2 > end || !isNext(tag)) {
      return false;
    }
    int first = in.getByte(at + 1);
    int octets = first >= 0 ? 0 : first & 0x7f;
    int start = at + 2 + octets;
    if (octets > 4 || start > end || first == (byte) 0x80) {
      return false;
    }
    int length = first;
    if (octets > 0) {
      length = 0;
      for (int i = at + 2; i < start; i++) {
        length = length << 8 | in.getByte(i) & 0xff;
      }
    }
    if (length < 0 || length > end - start) {
      return false;
    }
    contentStart = start;
    contentEnd = start + length;
    at = contentEnd;
    return true;
  }

  /** Moves into the element, before its first one. */
  public void enter() {
    at = contentStart;
    end = contentEnd;
  }

  public int contentStart() {
    return contentStart;
  }

  public int contentEnd() {
    return contentEnd;
  }

  /** The element's content as a whole number; -1 if it is longer than four octets or empty. */
  public int number() {
    if (contentStart == contentEnd || contentEnd - contentStart > 4) {
      return -1;
    }
    int number = in.getByte(contentStart);
    for (int i = contentStart + 1; i < contentEnd; i++) {
      number = number << 8 | in.getByte(i) & 0xff;
    }
    return number;
  }

  /** The number of octets of the element's content. */
  int length() {
    return contentEnd - contentStart;
  }

  /** Copies the element's content to the beginning of an array. */
  void copyTo(byte[] target) {
    in.getBytes(contentStart, target, 0, length());
  }

  /** A copy of the element's content. */
  public byte[] octets() {
    byte[] octets = new byte[length()];
    copyTo(octets);
    return octets;
  }

  /** The element's content as text. */
  public String text() {
    return in.toString(contentStart, contentEnd - contentStart, StandardCharsets.UTF_8);
  }

  /** Returns whether the element's content is these bytes. */
  public boolean is(byte[] expected) {
    if (contentEnd - contentStart != expected.length) {
      return false;
    }
    for (int i = 0; i < expected.length; i++) {
      if (in.getByte(contentStart + i) != expected[i]) {
        return false;
      }
    }
    return true;
  }
}
