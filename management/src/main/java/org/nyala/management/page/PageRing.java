package org.nyala.management.page;

import java.util.List;

/**
 * The last points of some series, in arrays of a fixed size.
 *
 * <p>Confined to those who hold the lock of its history.
 */
final class PageRing {
  private final List<String> names;
  private final long[] times;
  private final float[][] values;
  private int next;
  private int count;

  /** Creates a ring without points. */
  PageRing(List<String> names, int points) {
    this.names = List.copyOf(names);
    this.times = new long[points];
    this.values = new float[names.size()][points];
  }

  /**
   * Adds a point, in place of the oldest if the ring is full.
   *
   * @param seconds its time
   * @param point the value of each series; not a number if there is none
   */
  void add(long seconds, List<Double> point) {
    times[next] = seconds;
    for (int i = 0; i < values.length; i++) {
      values[i][next] = point.get(i).floatValue();
    }
    next = (next + 1) % times.length;
    count = Math.min(times.length, count + 1);
  }

  /** Returns the place of a point by its number, 0 for the oldest. */
  private int place(int number) {
    return (next - count + number + times.length) % times.length;
  }

  /** Writes all points, the oldest first. */
  void write(PageJson json) {
    json.with("points", count).list("times");
    for (int i = 0; i < count; i++) {
      json.item((double) times[place(i)]);
    }
    json.endList().object("series");
    for (int series = 0; series < values.length; series++) {
      json.list(names.get(series));
      for (int i = 0; i < count; i++) {
        json.item(values[series][place(i)]);
      }
      json.endList();
    }
    json.endObject();
  }

  /** Writes the last point; nothing is known before the first. */
  void writeLast(String name, PageJson json) {
    if (count == 0) {
      json.nothing(name);
      return;
    }
    int place = place(count - 1);
    json.object(name).with("time", times[place]);
    for (int i = 0; i < values.length; i++) {
      json.with(names.get(i), (double) values[i][place]);
    }
    json.endObject();
  }

  /** Returns the bytes of its arrays. */
  long bytes() {
    return (long) times.length * (Long.BYTES + (long) values.length * Float.BYTES);
  }
}
