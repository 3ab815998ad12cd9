package org.nyala.core.ber;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.Utf8;

/**
 * A cursor over the BER elements in an array (X.690, as far as RFC 4511, section 5.1 allows it):
 * tags of one octet, definite lengths of at most four octets, each element within the one that
 * holds it.
 *
 * <p>Bytes of clients are read within the {@link ElementBudget} of their request: every element
 * that is entered or read is taken of it. Lists among them are read by {@link #list} alone.
 *
 * <p>Confined to one thread at a time: to the decoding of one message, or to one running operation.
 * Every method that reads fails with {@link InvalidBerException} if the next element is of another
 * kind. Hot.
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

  /** The result of {@link #nextTag()} at the end. */
  public static final int END = -1;

  /** The bits of a first octet which mean that the tag continues (X.690, section 8.1.2.4). */
  private static final int MORE_OCTETS = 0x1f;

  /** The most bytes of a text of a client: no name of an entry or of a session is longer. */
  public static final int LONGEST_TEXT_BYTES = 0x10000;

  private static final byte[] NOTHING = {};

  private final @Nullable ElementBudget budget;
  private byte[] bytes;
  private int at;
  private int end;

  /** A reader of one element of a list. */
  @FunctionalInterface
  public interface Element<T> {
    /** Reads the next element. */
    T read(BerReader in) throws InvalidBerException;
  }

  /** Creates a reader of a client's bytes that is at the end until it is reset. */
  public BerReader(ElementBudget budget) {
    this(NOTHING, 0, 0, budget);
  }

  /** Creates a reader of the whole of a client's value; the array is not copied. */
  public BerReader(byte[] bytes, ElementBudget budget) {
    this(bytes, 0, bytes.length, budget);
  }

  private BerReader(byte[] bytes, int from, int to, @Nullable ElementBudget budget) {
    this.budget = budget;
    this.bytes = bytes;
    this.at = from;
    this.end = to;
  }

  /**
   * Creates a reader of the whole of a value that no client has made, or of one with a fixed number
   * of elements; the array is not copied.
   */
  public static BerReader trusted(byte[] bytes) {
    return new BerReader(bytes, 0, bytes.length, null);
  }

  /** Moves before the first element of {@code source[from..to)}; the array is not copied. */
  public void reset(byte[] source, int from, int to) {
    bytes = source;
    at = from;
    end = to;
  }

  /** Returns the offset of the next element. */
  public int position() {
    return at;
  }

  /** Returns the tag of the next element, or {@link #END}. */
  public int nextTag() {
    return at < end ? bytes[at] & 0xff : END;
  }

  /** Returns whether the element that was entered last has more elements. */
  public boolean hasNext() {
    return at < end;
  }

  /**
   * Enters a constructed element; the next elements read are its content. Returns the argument for
   * {@link #leave} and {@link #leaveExtensible}.
   */
  public int enter(int tag) throws InvalidBerException {
    int length = header(tag);
    int outer = end;
    end = at + length;
    return outer;
  }

  /** Leaves a constructed element, which must have been read to its end. */
  public void leave(int outer) throws InvalidBerException {
    requireEnd();
    end = outer;
  }

  /** Leaves a constructed element that later versions may have added to. */
  public void leaveExtensible(int outer) throws InvalidBerException {
    skipExtensions();
    end = outer;
  }

  /** Fails unless everything was read. */
  public void requireEnd() throws InvalidBerException {
    if (at != end) {
      throw new InvalidBerException("an element holds more than it should");
    }
  }

  /**
   * Skips elements that later versions may have added to a sequence (RFC 4511, section 4), whatever
   * their tags. Fails unless that leads to the end.
   */
  public void skipExtensions() throws InvalidBerException {
    while (at < end) {
      boolean goesOn = (bytes[at++] & MORE_OCTETS) == MORE_OCTETS;
      while (goesOn) {
        if (at >= end) {
          throw new InvalidBerException("a tag has no end");
        }
        goesOn = bytes[at++] < 0;
      }
      int length = contentLength();
      at += length;
    }
  }

  /**
   * Moves behind the next element, which has the given tag, and returns the length of its content.
   * Takes nothing of the budget, because nothing is built.
   */
  public int skip(int tag) throws InvalidBerException {
    int length = untaken(tag);
    at += length;
    return length;
  }

  /**
   * Returns a reader of its own for the content of the next element; this one goes on behind it.
   * Costs an object where {@link #enter} costs none.
   */
  public BerReader content(int tag) throws InvalidBerException {
    int length = header(tag);
    at += length;
    return new BerReader(bytes, at - length, at, budget);
  }

  /** Returns a reader of its own for the content of the sequence that comes next. */
  public BerReader sequence() throws InvalidBerException {
    return content(SEQUENCE);
  }

  /**
   * Reads elements up to the end as a list, which cannot be changed.
   *
   * @param most the most elements: one more is refused before it is built
   * @param things the elements in the plural, for the refusal
   * @throws BerLimitException if there are more
   */
  public <T> List<T> list(int most, String things, Element<T> element) throws InvalidBerException {
    return list(-1, most, things, element);
  }

  /**
   * Reads elements with the given tag as a list, up to the end or an element with another one;
   * otherwise like {@link #list(int, String, Element)}.
   */
  public <T> List<T> list(int tag, int most, String things, Element<T> element)
      throws InvalidBerException {
    if (!isNext(tag)) {
      return List.of();
    }
    requireRoom(0, most, things);
    T first = element.read(this);
    if (!isNext(tag)) {
      return List.of(first);
    }
    requireRoom(1, most, things);
    T second = element.read(this);
    if (!isNext(tag)) {
      return List.of(first, second);
    }
    List<T> elements = new ArrayList<>();
    elements.add(first);
    elements.add(second);
    while (isNext(tag)) {
      requireRoom(elements.size(), most, things);
      elements.add(element.read(this));
    }
    return List.copyOf(elements);
  }

  private boolean isNext(int tag) {
    return at < end && (tag < 0 || (bytes[at] & 0xff) == tag);
  }

  private static void requireRoom(int size, int most, String things) throws BerLimitException {
    if (size >= most) {
      throw new BerLimitException("more than " + most + " " + things);
    }
  }

  /** Reads an octet string, a copy. */
  public byte[] octets() throws InvalidBerException {
    return octets(OCTET_STRING);
  }

  /** Reads the content of a primitive element with the given tag, a copy. */
  public byte[] octets(int tag) throws InvalidBerException {
    int length = header(tag);
    int from = at;
    at += length;
    return Arrays.copyOfRange(bytes, from, at);
  }

  /** Reads the next element whole, its header included, a copy. */
  public byte[] element() throws InvalidBerException {
    int from = at;
    skip(nextTag());
    take();
    return Arrays.copyOfRange(bytes, from, at);
  }

  /** Reads an octet string of UTF-8. */
  public String text() throws InvalidBerException {
    return text(OCTET_STRING);
  }

  /**
   * Reads UTF-8 with the given tag. A text may take several times the memory of its bytes wherever
   * it is used, which is not charged, so that it has a bound: no name of an entry is longer.
   *
   * @throws BerContentException if it is not UTF-8
   * @throws BerLimitException if a client sends more than {@value #LONGEST_TEXT_BYTES} bytes
   */
  public String text(int tag) throws InvalidBerException {
    int length = header(tag);
    if (budget != null) {
      requireShort(length);
    }
    int from = at;
    at += length;
    for (int i = from; i < at; i++) {
      if (bytes[i] < 0) {
        return nonAscii(from, length);
      }
    }
    return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
  }

  /**
   * Returns a value of a client as a text, in which U+FFFD stands for what is not UTF-8.
   *
   * @throws BerLimitException if it has more than {@value #LONGEST_TEXT_BYTES} bytes
   */
  public static String lenientText(byte[] value) throws BerLimitException {
    requireShort(value.length);
    return new String(value, StandardCharsets.UTF_8);
  }

  private static void requireShort(int length) throws BerLimitException {
    if (length > LONGEST_TEXT_BYTES) {
      throw new BerLimitException(
          "a text of " + length + " bytes, at most " + LONGEST_TEXT_BYTES + " are allowed");
    }
  }

  private String nonAscii(int from, int length) throws InvalidBerException {
    if (!Utf8.isValid(bytes, from, length)) {
      throw new BerContentException("text is not UTF-8");
    }
    return new String(bytes, from, length, StandardCharsets.UTF_8);
  }

  /** Reads an integer. */
  public int integer() throws InvalidBerException {
    return integer(INTEGER);
  }

  /** Reads an enumeration's number. */
  public int enumerated() throws InvalidBerException {
    return integer(ENUMERATED);
  }

  /** Reads an integer of at most 32 bits with the given tag. */
  public int integer(int tag) throws InvalidBerException {
    int length = header(tag);
    if (length == 0 || length > Integer.BYTES) {
      throw new InvalidBerException("an integer of " + length + " octets");
    }
    int value = bytes[at++];
    for (int i = 1; i < length; i++) {
      value = value << 8 | bytes[at++] & 0xff;
    }
    return value;
  }

  /** Reads a Boolean. */
  public boolean bool() throws InvalidBerException {
    return bool(BOOLEAN);
  }

  /** Reads a Boolean with the given tag; everything but 0 is true. */
  public boolean bool(int tag) throws InvalidBerException {
    if (header(tag) != 1) {
      throw new InvalidBerException("a boolean is not one octet");
    }
    return bytes[at++] != 0;
  }

  private void take() throws BerLimitException {
    ElementBudget of = budget;
    if (of != null) {
      of.take();
    }
  }

  /** Moves to the content of the next element, which is built next, and returns its length. */
  private int header(int tag) throws InvalidBerException {
    int length = untaken(tag);
    take();
    return length;
  }

  /** Moves to the content of the next element and returns its length. */
  private int untaken(int tag) throws InvalidBerException {
    if (at >= end) {
      throw new InvalidBerException("an element is missing");
    }
    if ((bytes[at] & 0xff) != tag || (tag & MORE_OCTETS) == MORE_OCTETS) {
      throw new InvalidBerException("an element of another kind was expected");
    }
    at++;
    return contentLength();
  }

  private int contentLength() throws InvalidBerException {
    if (at >= end) {
      throw new InvalidBerException("an element has no length");
    }
    int length = bytes[at++];
    if (length < 0) {
      length = longLength(length & 0x7f);
    }
    if (length < 0 || length > end - at) {
      throw new InvalidBerException("an element is longer than what holds it");
    }
    return length;
  }

  private int longLength(int octets) throws InvalidBerException {
    if (octets == 0 || octets > Integer.BYTES || octets > end - at) {
      throw new InvalidBerException("the length of an element is not definite");
    }
    int length = 0;
    for (int i = 0; i < octets; i++) {
      length = length << 8 | bytes[at++] & 0xff;
    }
    return length;
  }
}
