package org.nyala.core.password;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A hash that cannot be predicted without its key: SipHash-2-4 (Aumasson and Bernstein, 2012),
 * which allocates nothing. Immutable.
 *
 * @param k0 the first half of the key
 * @param k1 the second half
 */
public record KeyedHash(long k0, long k1) {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  public long of(byte[] bytes) {
    long v0 = k0 ^ 0x736f6d6570736575L;
    long v1 = k1 ^ 0x646f72616e646f6dL;
    long v2 = k0 ^ 0x6c7967656e657261L;
    long v3 = k1 ^ 0x7465646279746573L;
    int whole = bytes.length & ~7;
    // A round for each half of each word, and four at the end.
    for (int at = 0; at <= whole + 8; at += 8) {
      boolean isEnd = at > whole;
      long word = isEnd ? 0 : at < whole ? (long) LONG.get(bytes, at) : last(bytes, whole);
      v3 ^= word;
      v2 ^= isEnd ? 0xff : 0;
      for (int round = isEnd ? 4 : 2; round > 0; round--) {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
      }
      v0 ^= word;
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  /** The bytes that fill no word, with the length above them. */
  private static long last(byte[] bytes, int whole) {
    long word = (long) bytes.length << 56;
    for (int i = whole; i < bytes.length; i++) {
      word |= (bytes[i] & 0xffL) << 8 * (i - whole);
    }
    return word;
  }

  /** Shows nothing of the key. */
  @Override
  public String toString() {
    return "KeyedHash";
  }
}
