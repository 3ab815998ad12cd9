package org.nyala.core.policy;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The pairs of a source and a name that has bound from there, in a table of fixed size.
 *
 * <p>A name has its pairs in 16 sets of {@value #WAYS} places, so that some 64 of them find room. A
 * pair that is new takes a free place of its set, or that of the oldest pair there. One account
 * cannot displace the others by binding from everywhere: if its name has {@value #MOST_OF_NAME}
 * places of the set, the pair takes the oldest of those, and none if all have bound within the last
 * {@value #RECENT_SECONDS} seconds, so that more sources than find room do not displace each other
 * in turn. Only the owner of a password makes pairs.
 *
 * <p>Thread-safe. Allocates nothing; the way of a known pair writes once a minute at most.
 */
final class KnownSources {
  private static final int SETS = 1 << 13;
  private static final int WAYS = 16;
  private static final int MOST_OF_NAME = 8;
  private static final int REFRESH_SECONDS = 60;
  private static final int RECENT_SECONDS = 3600;

  /** The bits of a pair that choose one of its name's sets are those above. */
  private static final int SPREAD_SHIFT = 60;

  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  /** The bits of a tag that are the name's; the others are the pair's. */
  private static final long NAME_BITS = 0xFFFF_FF00_0000_0000L;

  private static final int PAIR_SHIFT = 24;

  private final AtomicLongArray tags = new AtomicLongArray(SETS * WAYS);
  private final AtomicIntegerArray seconds = new AtomicIntegerArray(SETS * WAYS);

  private static int base(long name, long pair) {
    return ((int) (name + (pair >>> SPREAD_SHIFT) * GOLDEN_GAMMA) & SETS - 1) * WAYS;
  }

  private static long tag(long name, long pair) {
    long tag = name & NAME_BITS | pair >>> PAIR_SHIFT;
    return tag == 0 ? 1 : tag;
  }

  /** Returns the place of a tag in a set; negative if it is not there. */
  private int find(int base, long tag) {
    for (int i = base; i < base + WAYS; i++) {
      if (tags.get(i) == tag) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns whether a name has bound from a source.
   *
   * @param name the keyed hash of the name
   * @param pair that of both
   */
  boolean include(long name, long pair) {
    return find(base(name, pair), tag(name, pair)) >= 0;
  }

  /** Notes that a name has bound from a source, at a second since some beginning. */
  void note(long name, long pair, int second) {
    int base = base(name, pair);
    long tag = tag(name, pair);
    int known = find(base, tag);
    if (known < 0) {
      insert(base, tag, second);
    } else if (second - seconds.get(known) >= REFRESH_SECONDS) {
      seconds.set(known, second);
    }
  }

  private synchronized void insert(int base, long tag, int second) {
    int place = find(base, tag);
    if (place < 0) {
      place = victim(base, tag, second);
    }
    if (place >= 0) {
      seconds.set(place, second);
      tags.set(place, tag);
    }
  }

  /** Returns the place for a tag; negative if there is none. */
  private int victim(int base, long tag, int second) {
    int own = -1;
    int oldest = base;
    int count = 0;
    for (int i = base; i < base + WAYS; i++) {
      long there = tags.get(i);
      if (((there ^ tag) & NAME_BITS) == 0 && there != 0) {
        own = own < 0 || seconds.get(i) < seconds.get(own) ? i : own;
        count++;
      }
      boolean isOlder = there == 0 || seconds.get(i) < seconds.get(oldest);
      oldest = tags.get(oldest) != 0 && isOlder ? i : oldest;
    }
    if (count < MOST_OF_NAME) {
      return oldest;
    }
    return second - seconds.get(own) < RECENT_SECONDS ? -1 : own;
  }
}
