package org.nyala.lmdb.ldif;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;

/**
 * The largest change sequence numbers of entries, by naming context and server. Numbers are
 * compared as bytes and parsed at the end.
 *
 * <p>Confined to one running operation. Hot: most numbers are of the same server as the one before.
 */
final class LargestCsns {
  /** The length of a number: the syntax of the attribute allows no other. */
  private static final int LENGTH = 40;

  private static final int SERVER_AT = 30;
  private static final int SERVER_BITS = 12;

  private int[] places = new int[8];
  private byte[][] largest = new byte[8][];
  private int size;
  private int last;

  /** Forgets all numbers. */
  void clear() {
    size = 0;
    last = 0;
  }

  /** Takes a number of an entry in a naming context; bytes that are none are passed over. */
  void note(int suffix, byte[] source, int start, int length) {
    int server = length == LENGTH ? server(source, start + SERVER_AT) : -1;
    if (server >= 0) {
      note(suffix << SERVER_BITS | server, source, start);
    }
  }

  /** Takes the numbers of others. */
  void note(LargestCsns others) {
    for (int i = 0; i < others.size; i++) {
      note(others.places[i], others.largest[i], 0);
    }
  }

  private void note(int place, byte[] source, int start) {
    int at = find(place);
    byte[] known = largest[at];
    boolean isLarger =
        at == size || Arrays.compareUnsigned(source, start, start + LENGTH, known, 0, LENGTH) > 0;
    if (isLarger) {
      largest[at] = Arrays.copyOfRange(source, start, start + LENGTH);
      places[at] = place;
      size = Math.max(size, at + 1);
    }
    last = at;
  }

  /** Returns the index of a naming context and server, or a new one. */
  private int find(int place) {
    if (last < size && places[last] == place) {
      return last;
    }
    for (int i = 0; i < size; i++) {
      if (places[i] == place) {
        return i;
      }
    }
    if (size == places.length) {
      places = Arrays.copyOf(places, size * 2);
      largest = Arrays.copyOf(largest, size * 2);
    }
    return size;
  }

  private static int server(byte[] source, int at) {
    int server = 0;
    for (int i = at; i < at + 3; i++) {
      int digit = Character.digit(source[i], 16);
      if (digit < 0) {
        return -1;
      }
      server = server << 4 | digit;
    }
    return server;
  }

  /** Returns the numbers of each naming context. */
  List<CsnVector> vectors(int suffixes) {
    List<CsnVector> vectors = new ArrayList<>();
    for (int i = 0; i < suffixes; i++) {
      vectors.add(CsnVector.EMPTY);
    }
    for (int i = 0; i < size; i++) {
      Csn csn = Csn.parse(new String(largest[i], StandardCharsets.US_ASCII));
      if (csn != null) {
        int suffix = places[i] >>> SERVER_BITS;
        vectors.set(suffix, vectors.get(suffix).with(csn));
      }
    }
    return vectors;
  }
}
