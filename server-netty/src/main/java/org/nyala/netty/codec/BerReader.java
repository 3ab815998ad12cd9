package org.nyala.netty.codec;

import static org.nyala.netty.codec.MalformedRequestException.structure;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.nyala.core.message.ResultCode;

/**
 * Reads BER elements one after the other from an array (X.690, as far as RFC 4511, section 5.1
 * allows it): one-octet tags, definite lengths of at most four octets, every element within the one
 * that holds it.
 *
 * <p>Confined to the decoding of one message. Hot.
 */
public final class BerReader {
  /** The bits of a first octet that mark a tag of more octets (X.690, section 8.1.2.4). */
  private static final int MORE_OCTETS = 0x1f;

  private byte[] bytes = {};
  private int at;
  private int end;

  /** Positions the reader before the first element of {@code source[from..to)}. */
  public void reset(byte[] source, int from, int to) {
    bytes = source;
    at = from;
    end = to;
  }

  /** Returns the offset of the next element. */
  int position() {
    return at;
  }

  /** Returns whether the element that was entered last has more elements. */
  boolean hasMore() {
    return at < end;
  }

  /** Returns the tag of the next element, or {@link LdapTags#NONE} if there is none. */
  public int peekTag() {
    return at < end ? bytes[at] & 0xff : LdapTags.NONE;
  }

  /** Reads a header of the given tag and returns the length of the content that follows. */
  int header(int tag) throws MalformedRequestException {
    if (at >= end) {
      throw structure("an element is missing");
    }
    if ((bytes[at] & 0xff) != tag) {
      throw structure("an element of another kind was expected");
    }
    at++;
    return contentLength();
  }

  private int contentLength() throws MalformedRequestException {
    if (at >= end) {
      throw structure("an element has no length");
    }
    int length = bytes[at++];
    if (length < 0) {
      length = longLength(length & 0x7f);
    }
    if (length < 0 || length > end - at) {
      throw structure("an element is longer than what holds it");
    }
    return length;
  }

  private int longLength(int octets) throws MalformedRequestException {
    if (octets == 0 || octets > 4 || octets > end - at) {
      throw structure("the length of an element is not definite");
    }
    int length = 0;
    for (int i = 0; i < octets; i++) {
      length = length << 8 | bytes[at++] & 0xff;
    }
    return length;
  }

  /**
   * Enters a constructed element; the next elements read are its content. Returns the argument for
   * {@link #leave}.
   */
  public int enter(int tag) throws MalformedRequestException {
    int length = header(tag);
    int outer = end;
    end = at + length;
    return outer;
  }

  /** Leaves a constructed element, which must have been read to its end. */
  void leave(int outer) throws MalformedRequestException {
    if (at != end) {
      throw structure("an element holds more than it should");
    }
    end = outer;
  }

  /**
   * Skips elements that later versions may have added to a sequence (RFC 4511, section 4), whatever
   * their tags.
   */
  void skipExtensions() throws MalformedRequestException {
    while (at < end) {
      boolean goesOn = (bytes[at++] & MORE_OCTETS) == MORE_OCTETS;
      while (goesOn) {
        if (at >= end) {
          throw structure("a tag has no end");
        }
        goesOn = bytes[at++] < 0;
      }
      int length = contentLength();
      at += length;
    }
  }

  /** Leaves a constructed element that later versions may have added to. */
  void leaveExtensible(int outer) throws MalformedRequestException {
    skipExtensions();
    leave(outer);
  }

  /** Skips the content of a header that was just read. */
  void skip(int length) {
    at += length;
  }

  /** Reads an octet string of the given tag. */
  byte[] octets(int tag) throws MalformedRequestException {
    int length = header(tag);
    int from = at;
    at += length;
    return Arrays.copyOfRange(bytes, from, at);
  }

  /** Reads a text of the given tag; {@code code} answers one that is not UTF-8. */
  String text(int tag, ResultCode code) throws MalformedRequestException {
    return content(header(tag), code);
  }

  /** Reads a text of the given tag. */
  String text(int tag) throws MalformedRequestException {
    return text(tag, ResultCode.PROTOCOL_ERROR);
  }

  private String content(int length, ResultCode code) throws MalformedRequestException {
    int from = at;
    at += length;
    for (int i = from; i < at; i++) {
      if (bytes[i] < 0) {
        return nonAscii(from, length, code);
      }
    }
    return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
  }

  private String nonAscii(int from, int length, ResultCode code) throws MalformedRequestException {
    String text = new String(bytes, from, length, StandardCharsets.UTF_8);
    byte[] back = text.getBytes(StandardCharsets.UTF_8);
    if (!Arrays.equals(back, 0, back.length, bytes, from, from + length)) {
      throw MalformedRequestException.content(code, "text is not UTF-8");
    }
    return text;
  }

  /** Reads an integer of at most 32 bits with the given tag. */
  public int integer(int tag) throws MalformedRequestException {
    int length = header(tag);
    if (length == 0 || length > 4) {
      throw structure("an integer of " + length + " octets");
    }
    int value = bytes[at++];
    for (int i = 1; i < length; i++) {
      value = value << 8 | bytes[at++] & 0xff;
    }
    return value;
  }

  /** Reads a boolean of the given tag; everything but 0 is true. */
  boolean bool(int tag) throws MalformedRequestException {
    if (header(tag) != 1) {
      throw structure("a boolean is not one octet");
    }
    return bytes[at++] != 0;
  }
}
