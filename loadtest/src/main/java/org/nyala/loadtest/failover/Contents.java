package org.nyala.loadtest.failover;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The entries that a server has below the base of a test: the number of each entry. Confined to one
 * thread.
 */
final class Contents {
  private int[] numbers = {};
  private final Map<Integer, String> halves = new TreeMap<>();

  /** Notes an entry; {@code text} are its values if they differ. */
  void put(int entry, int number, String text) {
    if (entry >= numbers.length) {
      int before = numbers.length;
      numbers = Arrays.copyOf(numbers, Math.max(entry + 1, before * 2));
      Arrays.fill(numbers, before, numbers.length, Operations.ABSENT);
    }
    numbers[entry] = number;
    if (number == Operations.HALF) {
      halves.put(entry, text);
    }
  }

  /** Returns the number of an entry, {@link Operations#ABSENT} or {@link Operations#HALF}. */
  int number(int entry) {
    return entry < numbers.length ? numbers[entry] : Operations.ABSENT;
  }

  /** Returns the values of an entry whose attributes differ. */
  String half(int entry) {
    return halves.getOrDefault(entry, "");
  }

  /** Returns a number greater than those of all entries. */
  int bound() {
    return numbers.length;
  }
}
