package org.nyala.core.schema;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A fixed map from ASCII names to values that is asked with bytes, in any case, without allocating.
 *
 * <p>Immutable. Hot: every parsed DN and every tested {@code objectClass} value asks it.
 */
final class NameTable<V> {
  private final byte[][] names;
  private final Object[] values;
  private final int mask;
  private int longest;

  NameTable(Map<String, V> entries) {
    int capacity = Integer.highestOneBit(Math.max(8, entries.size() * 4));
    names = new byte[capacity][];
    values = new Object[capacity];
    mask = capacity - 1;
    entries.forEach(this::insert);
  }

  private void insert(String name, V value) {
    byte[] lower = name.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < lower.length; i++) {
      lower[i] = (byte) lowerCase(lower[i]);
    }
    int slot = hash(lower, 0, lower.length) & mask;
    while (names[slot] != null && !equal(names[slot], lower, 0, lower.length)) {
      slot = slot + 1 & mask;
    }
    names[slot] = lower;
    longest = Math.max(longest, lower.length);
    values[slot] = value;
  }

  /** The length of the longest name, in bytes of UTF-8. */
  int longest() {
    return longest;
  }

  /** The value of a name in any case, or null; one that is longer than all names is not read. */
  @SuppressWarnings("unchecked")
  @Nullable V find(byte[] source, int offset, int length) {
    if (length > longest) {
      return null;
    }
    int slot = hash(source, offset, length) & mask;
    while (names[slot] != null) {
      if (equal(names[slot], source, offset, length)) {
        return (V) values[slot];
      }
      slot = slot + 1 & mask;
    }
    return null;
  }

  private static boolean equal(byte[] name, byte[] source, int offset, int length) {
    if (name.length != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (name[i] != lowerCase(source[offset + i])) {
        return false;
      }
    }
    return true;
  }

  private static int hash(byte[] source, int offset, int length) {
    int hash = length;
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + lowerCase(source[offset + i]);
    }
    return hash ^ hash >>> 15;
  }

  private static int lowerCase(byte b) {
    return b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b;
  }
}
