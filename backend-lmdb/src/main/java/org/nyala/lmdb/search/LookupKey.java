package org.nyala.lmdb.search;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The key of an index value as the words that a {@link LookupCache} compares, and the result found
 * for it.
 *
 * <p>Confined to one running operation. Hot; reused for one key after the other.
 */
final class LookupKey {
  /** The longest key, in bytes: enough for all but a few mail addresses. */
  static final int MAXIMUM_LENGTH = 88;

  /** The same in words. */
  static final int WORDS = MAXIMUM_LENGTH / Long.BYTES;

  /** The fractional part of the golden ratio, a multiplier that spreads bits well. */
  private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final long[] words = new long[WORDS];
  private int length;
  private int wordCount;
  private int hash;
  private long entryId;
  private long address;
  private int recordLength;

  /** Takes a key, from the beginning of an array; false if it is too long, or empty. */
  boolean take(byte[] key, int keyLength) {
    if (keyLength < 1 || keyLength > MAXIMUM_LENGTH) {
      return false;
    }
    length = keyLength;
    wordCount = keyLength + Long.BYTES - 1 >>> 3;
    long mixed = keyLength;
    for (int i = 0; i < wordCount; i++) {
      words[i] = wordAt(key, i * Long.BYTES, keyLength);
      mixed = mix(mixed ^ words[i]);
    }
    hash = (int) mix(mixed);
    return true;
  }

  /*
   * Multiplies, and folds the high half into the low bits. A difference in the last byte of a key
   * reaches the lowest bits with the second mixing.
   */
  private static long mix(long bits) {
    long mixed = bits * SPREAD;
    return mixed ^ mixed >>> 32;
  }

  /** Returns eight bytes of a key, or the rest of it and zeros. */
  private static long wordAt(byte[] key, int from, int keyLength) {
    int rest = keyLength - from;
    if (rest >= Long.BYTES) {
      return (long) WORD.get(key, from);
    }
    if (from + Long.BYTES <= key.length) {
      return (long) WORD.get(key, from) & (1L << rest * Byte.SIZE) - 1;
    }
    long word = 0;
    for (int i = keyLength - 1; i >= from; i--) {
      word = word << Byte.SIZE | key[i] & 0xff;
    }
    return word;
  }

  /** Returns the length of the key in bytes. */
  int length() {
    return length;
  }

  /** Returns the number of words of the key; the last one is filled up with zeros. */
  int wordCount() {
    return wordCount;
  }

  long word(int index) {
    return words[index];
  }

  /** Returns the key's hash, all of whose bits are well mixed. */
  int hash() {
    return hash;
  }

  /** Sets the result: an entry, the address of its record, and the length of that in bytes. */
  void found(long id, long recordAddress, int recordBytes) {
    entryId = id;
    address = recordAddress;
    recordLength = recordBytes;
  }

  /** Returns the entry that was found last. */
  long entryId() {
    return entryId;
  }

  /** Returns the address of its record. */
  long address() {
    return address;
  }

  /** Returns the length of its record in bytes. */
  int recordLength() {
    return recordLength;
  }
}
