package org.nyala.cluster;

import java.util.PriorityQueue;
import java.util.Random;

/** The events of a simulation in the order of a virtual clock. Confined to one thread at a time. */
final class VirtualTime {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private record Event(long nanos, long number, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(nanos, other.nanos);
      return byTime == 0 ? Long.compare(number, other.number) : byTime;
    }
  }

  final Random random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nanos;
  private long number;

  VirtualTime(Random random) {
    this.random = random;
  }

  long nanos() {
    return nanos;
  }

  long millis() {
    return nanos / NANOS_PER_MILLI;
  }

  /** Has something happen after some milliseconds and a random part of one. */
  void after(long millis, Runnable action) {
    events.add(
        new Event(
            nanos + millis * NANOS_PER_MILLI + random.nextInt((int) NANOS_PER_MILLI),
            number++,
            action));
  }

  /** Runs all events up to a time. */
  void run(long untilMillis) {
    while (!events.isEmpty() && events.peek().nanos <= untilMillis * NANOS_PER_MILLI) {
      Event next = events.remove();
      nanos = next.nanos;
      next.action.run();
    }
    nanos = Math.max(nanos, untilMillis * NANOS_PER_MILLI);
  }
}
