package org.nyala.lmdb.format;

/**
 * A 128-bit hash of a normalised DN, made from the hash of the parent's DN and the RDN.
 *
 * <p>Confined to one running operation. The seeds are secret and differ from import to import, so
 * that names that collide cannot be made up.
 */
public final class ImportNameHash {
  private static final long FIRST = 0x9e3779b97f4a7c15L;
  private static final long SECOND = 0xd6e8feb86659fd93L;

  private final long highSeed;
  private final long lowSeed;
  private long high;
  private long low;

  /** Hashes by the given secrets. */
  public ImportNameHash(long highSeed, long lowSeed) {
    this.highSeed = highSeed | 1;
    this.lowSeed = lowSeed | 1;
  }

  /** Sets the hash of the empty DN. */
  public void reset() {
    high = highSeed;
    low = lowSeed;
  }

  /** Sets a hash that was computed before. */
  public void set(long newHigh, long newLow) {
    high = newHigh;
    low = newLow;
  }

  /** Moves from a DN to the DN of a child. */
  public void descend(byte[] normalizedRdn) {
    long h = high + normalizedRdn.length;
    long l = low;
    long word = 0;
    for (int i = 0; i < normalizedRdn.length; i++) {
      word = word << 8 | normalizedRdn[i] & 0xff;
      if ((i & 7) == 7) {
        h = mix((h ^ word) * FIRST + lowSeed);
        l = mix((l + word) * SECOND ^ highSeed);
        word = 0;
      }
    }
    h = mix((h ^ word) * FIRST + lowSeed);
    l = mix((l + word) * SECOND ^ highSeed);
    high = mix(h + Long.rotateLeft(l, 23));
    low = mix(l ^ Long.rotateLeft(h, 41));
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }

  /** Returns the upper half. */
  public long high() {
    return high;
  }

  /** Returns the lower half. */
  public long low() {
    return low;
  }
}
