package org.nyala.core.ber;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads BER as LDAP restricts it (RFC 4511, section 5.1): definite lengths, tags of one octet, from
 * the first element of a value to the last.
 *
 * <p>Confined to one running operation. Every method that reads fails with {@link
 * InvalidBerException} if the next element is of another kind.
 */
public final class BerReader {
  /** Tag of a Boolean. */
  public static final int BOOLEAN = 0x01;

  /** Tag of an integer. */
  public static final int INTEGER = 0x02;

  /** Tag of an octet string. */
  public static final int OCTET_STRING = 0x04;

  /** Tag of an enumeration. */
  public static final int ENUMERATED = 0x0a;

  /** Tag of a sequence. */
  public static final int SEQUENCE = 0x30;

  /** Tag of a set. */
  public static final int SET = 0x31;

  /** The bits of a first octet which mean that the tag continues (X.690, section 8.1.2.4). */
  private static final int MORE_OCTETS = 0x1f;

  /** The result of {@link #nextTag()} at the end. */
  public static final int END = -1;

  private final byte[] bytes;
  private final int end;
  private int at;

  /** Reads the whole of a value; the array is not copied. */
  public BerReader(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  private BerReader(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  /** The tag of the next element, or {@link #END}. */
  public int nextTag() {
    return at < end ? bytes[at] & 0xff : END;
  }

  /** Returns whether there is a further element. */
  public boolean hasNext() {
    return at < end;
  }

  /** Fails unless everything was read. */
  public void requireEnd() throws InvalidBerException {
    if (at < end) {
      throw new InvalidBerException("more than there should be");
    }
  }

  /**
   * Skips elements that later versions may have added to a sequence (RFC 4511, section 4), with any
   * tags. Fails unless that leads to the end.
   */
  public void skipExtensions() throws InvalidBerException {
    while (at < end) {
      boolean goesOn = (bytes[at++] & MORE_OCTETS) == MORE_OCTETS;
      while (goesOn) {
        if (at == end) {
          throw new InvalidBerException("tag without an end");
        }
        goesOn = bytes[at++] < 0;
      }
      int length = contentLength();
      at += length;
    }
  }

  /** Enters a constructed element; this reader continues after it. */
  public BerReader enter(int tag) throws InvalidBerException {
    int length = header(tag);
    BerReader inner = new BerReader(bytes, at, at + length);
    at += length;
    return inner;
  }

  /** Enters the sequence that comes next. */
  public BerReader sequence() throws InvalidBerException {
    return enter(SEQUENCE);
  }

  /** Reads an octet string, a copy. */
  public byte[] octets() throws InvalidBerException {
    return octets(OCTET_STRING);
  }

  /** Reads an octet string of UTF-8. */
  public String text() throws InvalidBerException {
    return text(OCTET_STRING);
  }

  /** Reads UTF-8 with the given tag. */
  public String text(int tag) throws InvalidBerException {
    int length = header(tag);
    int start = at;
    at += length;
    String text = new String(bytes, start, length, StandardCharsets.UTF_8);
    // Bytes that are not UTF-8 decode to replacement characters, which encode to something else.
    byte[] back = text.getBytes(StandardCharsets.UTF_8);
    if (!Arrays.equals(back, 0, back.length, bytes, start, at)) {
      throw new InvalidBerException("text is not UTF-8");
    }
    return text;
  }

  /** Reads the content of a primitive element with the given tag, a copy. */
  public byte[] octets(int tag) throws InvalidBerException {
    int length = header(tag);
    at += length;
    return Arrays.copyOfRange(bytes, at - length, at);
  }

  /** Reads the next element whole, its header included, a copy. */
  public byte[] element() throws InvalidBerException {
    int start = at;
    int length = header(nextTag());
    at += length;
    return Arrays.copyOfRange(bytes, start, at);
  }

  /** Reads an integer. */
  public int integer() throws InvalidBerException {
    return integer(INTEGER);
  }

  /** Reads an enumeration's number. */
  public int enumerated() throws InvalidBerException {
    return integer(ENUMERATED);
  }

  /** Reads an integer of at most four octets with the given tag. */
  public int integer(int tag) throws InvalidBerException {
    int length = header(tag);
    if (length < 1 || length > Integer.BYTES) {
      throw new InvalidBerException("integer of " + length + " octets");
    }
    int value = bytes[at];
    for (int i = 1; i < length; i++) {
      value = value << 8 | bytes[at + i] & 0xff;
    }
    at += length;
    return value;
  }

  /** Reads a Boolean. */
  public boolean bool() throws InvalidBerException {
    return bool(BOOLEAN);
  }

  /** Reads a Boolean with the given tag; everything but 0 is true. */
  public boolean bool(int tag) throws InvalidBerException {
    if (header(tag) != 1) {
      throw new InvalidBerException("a Boolean has one octet");
    }
    return bytes[at++] != 0;
  }

  /** Moves to the content of the next element; its length. */
  private int header(int tag) throws InvalidBerException {
    if ((tag & MORE_OCTETS) == MORE_OCTETS) {
      throw new InvalidBerException(
          tag == END ? "ends where an element should be" : "tag of more than one octet");
    }
    if (nextTag() != tag) {
      throw new InvalidBerException(
          at < end
              ? "tag " + Integer.toHexString(nextTag()) + " where " + Integer.toHexString(tag)
              : "ends where " + Integer.toHexString(tag) + " should be");
    }
    at++;
    return contentLength();
  }

  private int contentLength() throws InvalidBerException {
    int length = length();
    if (length > end - at) {
      throw new InvalidBerException("length beyond the end");
    }
    return length;
  }

  private int length() throws InvalidBerException {
    int first = at < end ? bytes[at++] & 0xff : 0x80;
    if (first < 0x80) {
      return first;
    }
    int octets = first & 0x7f;
    if (octets < 1 || octets > Integer.BYTES || octets > end - at) {
      throw new InvalidBerException("length of " + octets + " octets");
    }
    int length = 0;
    for (int i = 0; i < octets; i++) {
      length = length << 8 | bytes[at++] & 0xff;
    }
    if (length < 0) {
      throw new InvalidBerException("length over 2 GiB");
    }
    return length;
  }
}
