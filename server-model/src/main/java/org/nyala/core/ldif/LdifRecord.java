package org.nyala.core.ldif;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;

/**
 * One record of an LDIF: a DN and attribute lines, as ranges of bytes in memory that is used again.
 *
 * <p>Confined to one running operation. Everything that it gives out is borrowed until the parser
 * moves on.
 */
public final class LdifRecord {
  private static final byte[] NONE = {};

  /** The bytes that had to be assembled: unfolded lines, decoded values, files. */
  final ByteAppender arena = new ByteAppender(4096);

  byte[] source = NONE;
  int sourceStart;
  int sourceEnd;
  long line;
  private byte[] dn = NONE;
  private int count;
  private int[] ranges = new int[4 * 64];
  private byte[] places = new byte[64];
  private long[] lines = new long[64];
  private @Nullable String error;
  private long errorLine;

  void clear() {
    arena.clear();
    count = 0;
    dn = NONE;
    error = null;
  }

  void setDn(byte[] bytes, int start, int length) {
    dn = Arrays.copyOfRange(bytes, start, start + length);
  }

  /** Appends an attribute line; a range is in the arena when its {@code place} bit is set. */
  void add(long atLine, int place, int nameStart, int nameLength, int valueStart, int valueLength) {
    if (count == lines.length) {
      lines = Arrays.copyOf(lines, count * 2);
      places = Arrays.copyOf(places, count * 2);
      ranges = Arrays.copyOf(ranges, count * 8);
    }
    int at = 4 * count;
    ranges[at] = nameStart;
    ranges[at + 1] = nameLength;
    ranges[at + 2] = valueStart;
    ranges[at + 3] = valueLength;
    places[count] = (byte) place;
    lines[count++] = atLine;
  }

  void reject(long atLine, String reason) {
    if (error == null) {
      error = reason;
      errorLine = atLine;
    }
  }

  /** Returns the reason why the record cannot be used; null if it can. */
  public @Nullable String error() {
    return error;
  }

  /** The line to which {@link #error()} refers. */
  public long errorLine() {
    return errorLine;
  }

  /** The line of the DN, counted from 1. */
  public long line() {
    return line;
  }

  /** The array that holds the DN in UTF-8. */
  public byte[] dnBytes() {
    return dn;
  }

  /** Returns the number of attribute lines. */
  public int size() {
    return count;
  }

  /** The line number of attribute line {@code index}. */
  public long line(int index) {
    return lines[index];
  }

  /** The array that holds the attribute description of line {@code index}. */
  public byte[] nameBytes(int index) {
    return (places[index] & LdifParser.NAME_IN_ARENA) != 0 ? arena.array() : source;
  }

  /** Returns the index at which the attribute description begins. */
  public int nameStart(int index) {
    return ranges[4 * index];
  }

  /** Length of the attribute description in bytes. */
  public int nameLength(int index) {
    return ranges[4 * index + 1];
  }

  /** The array that holds the value of line {@code index}. */
  public byte[] valueBytes(int index) {
    return (places[index] & LdifParser.VALUE_IN_ARENA) != 0 ? arena.array() : source;
  }

  /** Returns the index at which the value begins. */
  public int valueStart(int index) {
    return ranges[4 * index + 2];
  }

  /** Length of the value in bytes. */
  public int valueLength(int index) {
    return ranges[4 * index + 3];
  }

  /** Returns the index in the chunk at which the record's text begins. */
  public int sourceStart() {
    return sourceStart;
  }

  /** Returns the index in the chunk at which the record's text ends, exclusive. */
  public int sourceEnd() {
    return sourceEnd;
  }
}
