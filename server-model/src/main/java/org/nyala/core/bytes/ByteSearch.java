package org.nyala.core.bytes;

import java.util.Arrays;

/**
 * The search for a piece in bytes, in time by the length of both: by trying each place if both are
 * short, else by the algorithm of Knuth, Morris and Pratt, as a client may choose text and piece to
 * agree nearly everywhere.
 */
public final class ByteSearch {
  /** The number of byte comparisons up to which trying costs less than preparing anything. */
  private static final long TRIED = 1 << 14;

  private ByteSearch() {}

  /** A test of whether an occurrence is accepted. */
  @FunctionalInterface
  public interface Accepted {
    boolean test(int at);
  }

  /**
   * Returns the index at which a piece first occurs.
   *
   * @param piece not empty
   * @return -1 if it does not occur
   */
  public static int indexOf(byte[] value, int from, int end, byte[] piece) {
    return indexOf(value, from, end, piece, _ -> true);
  }

  /** Returns the index of the first occurrence of a piece that is accepted; -1 if there is none. */
  public static int indexOf(byte[] value, int from, int end, byte[] piece, Accepted accepted) {
    if ((long) piece.length * (end - from) > TRIED) {
      return prepared(value, from, end, piece, accepted);
    }
    byte first = piece[0];
    for (int at = from; at <= end - piece.length; at++) {
      if (value[at] == first
          && Arrays.equals(value, at, at + piece.length, piece, 0, piece.length)
          && accepted.test(at)) {
        return at;
      }
    }
    return -1;
  }

  private static int prepared(byte[] value, int from, int end, byte[] piece, Accepted accepted) {
    if (piece.length > end - from) {
      return -1;
    }
    int[] borders = borders(piece);
    int matched = 0;
    for (int i = from; i < end; i++) {
      while (matched > 0 && value[i] != piece[matched]) {
        matched = borders[matched - 1];
      }
      if (value[i] == piece[matched]) {
        matched++;
      }
      if (matched == piece.length) {
        int at = i + 1 - matched;
        if (accepted.test(at)) {
          return at;
        }
        matched = borders[matched - 1];
      }
    }
    return -1;
  }

  /**
   * Returns, for each length of the piece's beginning, the longest beginning that is its end as
   * well.
   */
  private static int[] borders(byte[] piece) {
    int[] borders = new int[piece.length];
    int length = 0;
    for (int i = 1; i < piece.length; i++) {
      while (length > 0 && piece[i] != piece[length]) {
        length = borders[length - 1];
      }
      if (piece[i] == piece[length]) {
        length++;
      }
      borders[i] = length;
    }
    return borders;
  }
}
