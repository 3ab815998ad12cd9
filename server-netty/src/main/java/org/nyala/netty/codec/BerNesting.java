package org.nyala.netty.codec;

/** Checks whether the lengths of nested BER elements fit into each other. */
final class BerNesting {
  /** The greatest depth: only searches nest deeper, and they are not checked here. */
  private static final int DEPTH_MAXIMUM = 16;

  private BerNesting() {}

  /** Returns whether {@code bytes[from..to)} is exactly one element, sound all the way down. */
  static boolean isSound(byte[] bytes, int from, int to) {
    int[] ends = new int[DEPTH_MAXIMUM + 1];
    int depth = 0;
    ends[0] = to;
    int at = from;
    while (at < ends[depth]) {
      int tag = bytes[at++];
      int octets = at < ends[depth] && bytes[at] < 0 ? bytes[at] & 0x7f : 0;
      long length = length(bytes, at, octets, ends[depth]);
      at += 1 + octets;
      if (length < 0 || length > ends[depth] - at) {
        return false;
      }
      boolean isConstructed = (tag & 0x20) != 0 && depth < DEPTH_MAXIMUM;
      if (isConstructed) {
        ends[++depth] = at + (int) length;
      } else {
        at += (int) length;
      }
      while (depth > 0 && at == ends[depth]) {
        depth--;
      }
    }
    return at == to && depth == 0;
  }

  /** Returns the length whose first octet is at {@code at}, or -1. */
  private static long length(byte[] bytes, int at, int octets, int end) {
    boolean isIndefinite = at < end && bytes[at] == (byte) 0x80;
    if (octets > 4 || at + octets >= end || isIndefinite) {
      return -1;
    }
    if (octets == 0) {
      return bytes[at];
    }
    long length = 0;
    for (int i = 1; i <= octets; i++) {
      length = length << 8 | bytes[at + i] & 0xff;
    }
    return length;
  }
}
