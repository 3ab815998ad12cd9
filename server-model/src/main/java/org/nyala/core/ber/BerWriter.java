package org.nyala.core.ber;

import java.nio.charset.StandardCharsets;
import org.nyala.core.bytes.ByteAppender;

/**
 * Writes BER from the inside out: each method appends one element and returns the writer, and a
 * nested writer's bytes become the content of an element of their own.
 *
 * <p>Confined to one running operation.
 */
public final class BerWriter {
  private final ByteAppender bytes = new ByteAppender(64);

  /** Appends a constructed element around the content of another writer. */
  public BerWriter constructed(int tag, BerWriter content) {
    Ber.header(bytes, tag, content.bytes.length());
    bytes.append(content.bytes.array(), 0, content.bytes.length());
    return this;
  }

  /** Appends a sequence around the content of another writer. */
  public BerWriter sequence(BerWriter content) {
    return constructed(BerReader.SEQUENCE, content);
  }

  /** Appends an octet string. */
  public BerWriter octets(byte[] content) {
    return octets(BerReader.OCTET_STRING, content);
  }

  /** Appends a primitive element. */
  public BerWriter octets(int tag, byte[] content) {
    Ber.header(bytes, tag, content.length);
    bytes.append(content);
    return this;
  }

  /** Appends an octet string of UTF-8. */
  public BerWriter text(String content) {
    return octets(content.getBytes(StandardCharsets.UTF_8));
  }

  /** Appends UTF-8 with the given tag. */
  public BerWriter text(int tag, String content) {
    return octets(tag, content.getBytes(StandardCharsets.UTF_8));
  }

  /** Appends an integer. */
  public BerWriter integer(int value) {
    return integer(BerReader.INTEGER, value);
  }

  /** Appends an integer in as few octets as it takes. */
  public BerWriter integer(int tag, int value) {
    int octets = 1;
    while (octets < Integer.BYTES && value >> 8 * octets - 1 != value >> 31) {
      octets++;
    }
    Ber.header(bytes, tag, octets);
    for (int shift = 8 * (octets - 1); shift >= 0; shift -= 8) {
      bytes.append(value >> shift);
    }
    return this;
  }

  /** Appends an enumeration's number. */
  public BerWriter enumerated(int value) {
    return integer(BerReader.ENUMERATED, value);
  }

  /** Appends a Boolean. */
  public BerWriter bool(boolean value) {
    return bool(BerReader.BOOLEAN, value);
  }

  /** Appends a Boolean with the given tag. */
  public BerWriter bool(int tag, boolean value) {
    Ber.header(bytes, tag, 1);
    bytes.append(value ? 0xff : 0);
    return this;
  }

  /** Appends whole elements as they are. */
  public BerWriter raw(byte[] elements) {
    bytes.append(elements);
    return this;
  }

  /** Returns the bytes written. */
  public byte[] toByteArray() {
    return bytes.toByteArray();
  }
}
