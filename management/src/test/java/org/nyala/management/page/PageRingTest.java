package org.nyala.management.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

/** Tests the ring of points against a list of all. */
class PageRingTest {
  private record Point(long seconds, double a, double b) {}

  private static String text(double value) {
    return Double.isNaN(value) ? "null" : Long.toString((long) value);
  }

  private static String expected(Deque<Point> points) {
    String times = points.stream().map(p -> "" + p.seconds()).collect(Collectors.joining(","));
    String a = points.stream().map(p -> text(p.a())).collect(Collectors.joining(","));
    String b = points.stream().map(p -> text(p.b())).collect(Collectors.joining(","));
    return String.format(
        "{\"points\":%d,\"times\":[%s],\"series\":{\"a\":[%s],\"b\":[%s]}}",
        points.size(), times, a, b);
  }

  private static String lastOf(Deque<Point> points) {
    Point last = points.getLast();
    return String.format(
        "{\"point\":{\"time\":%d,\"a\":%s,\"b\":%s}}",
        last.seconds(), text(last.a()), text(last.b()));
  }

  @Test
  void shouldHaveTheLastPointsInOrder() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int size = 1; size <= 12; size++) {
      PageRing ring = new PageRing(List.of("a", "b"), size);
      Deque<Point> points = new ArrayDeque<>();
      PageJson empty = new PageJson().object();
      ring.writeLast("point", empty);
      assertThat(empty.endObject()).hasToString("{\"point\":null}");
      for (int i = 0; i < 40; i++) {
        PageJson all = new PageJson().object();
        ring.write(all);
        assertThat(all.endObject())
            .as("test.seed=%s, size %d, %d points", seed, size, i)
            .hasToString(expected(points));
        Point point =
            new Point(
                1_796_090_400L + 5L * i,
                random.nextInt(4) == 0 ? Double.NaN : random.nextInt(1 << 20),
                random.nextInt(1 << 20));
        ring.add(point.seconds(), List.of(point.a(), point.b()));
        points.addLast(point);
        if (points.size() > size) {
          points.removeFirst();
        }
        PageJson last = new PageJson().object();
        ring.writeLast("point", last);
        assertThat(last.endObject()).hasToString(lastOf(points));
      }
    }
  }

  @Test
  void shouldTakeAsManyBytesAsItSays() {
    assertThat(new PageRing(List.of("a", "b"), 720).bytes()).isEqualTo(720L * (8 + 2 * 4));
  }
}
