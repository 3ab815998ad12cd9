package org.nyala.management.page;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.Latency;
import org.nyala.core.metrics.Phase;
import org.nyala.lmdb.StoreStatus;
import org.nyala.management.ServerComponents;
import org.nyala.management.bean.SyncMXBean.Copy;

/**
 * The last hour of a server: some figures every five seconds, in a ring of 80 KiB.
 *
 * <p>Thread-safe. The watch of the server feeds it, whether or not a page is open.
 */
final class PageHistory {
  /** The time from one point to the next. */
  static final int INTERVAL_SECONDS = 5;

  /** The points of an hour. */
  static final int POINTS = (int) (TimeUnit.HOURS.toSeconds(1) / INTERVAL_SECONDS);

  /** The watch may come a little early. */
  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(4500);

  private static final double MEDIAN = 0.5;
  private static final double MOST = 0.99;

  /**
   * The figures of one point. Immutable.
   *
   * @param growth the growth since the point before
   */
  private record Point(Figures growth, ServerComponents parts, StoreStatus store) {}

  /** A figure and its name. */
  private record Series(String name, ToDoubleFunction<Point> value) {}

  private static final List<Series> SERIES =
      Stream.concat(Stream.of(OperationType.values()).map(PageHistory::rate), others()).toList();

  private final ServerComponents parts;
  private final PageRing ring = new PageRing(SERIES.stream().map(Series::name).toList(), POINTS);
  private @Nullable Figures last;
  private @Nullable Figures before;
  private @Nullable String encoded;

  /** Creates a history of which nothing is known yet. */
  PageHistory(ServerComponents parts) {
    this.parts = parts;
  }

  private static Series rate(OperationType type) {
    return new Series(
        type.label() + "PerSecond", p -> p.growth().perSecond(p.growth().of(type).completed()));
  }

  private static Stream<Series> others() {
    return Stream.of(
        new Series("medianMicros", p -> Figures.micros(p.growth().whole(), MEDIAN)),
        new Series("percentile99Micros", p -> Figures.micros(p.growth().whole(), MOST)),
        new Series("admissionPercentile99Micros", p -> phase(p, Phase.ADMISSION)),
        new Series("queuePercentile99Micros", p -> phase(p, Phase.QUEUE)),
        new Series("connections", p -> p.parts().wire().connectionCount()),
        new Series("inFlight", p -> p.parts().directory().strategy().inFlight()),
        new Series("waitingChanges", p -> p.parts().updatesQueued().getAsInt()),
        new Series("refusedPerSecond", p -> p.growth().perSecond(p.growth().refused())),
        new Series("commitsPerSecond", p -> p.growth().perSecond(p.growth().commits().count())),
        new Series("batchMean", p -> mean(p.growth().sizes(), p.growth().changes())),
        new Series("commitPercentile99Micros", p -> Figures.micros(p.growth().commits(), MOST)),
        new Series("usedBytes", p -> p.store().space().usedBytes()),
        new Series("diskFreeBytes", p -> known(p.store().space().diskFreeBytes())),
        new Series("heldBytes", p -> p.parts().directory().memory().held()),
        new Series("lagSeconds", p -> lag(p.parts().copies().get())),
        new Series("alarms", p -> p.parts().notices().raised().size()));
  }

  private static double phase(Point point, Phase phase) {
    return Figures.micros(point.growth().of(phase), MOST);
  }

  /** Returns the changes of a commit that has any; not a number without such. */
  static double mean(Latency sizes, long changes) {
    return sizes.count() == 0 ? Double.NaN : (double) changes / sizes.count();
  }

  private static double known(long value) {
    return value < 0 ? Double.NaN : value;
  }

  /** Returns the lag of the copy that is furthest behind; not a number without a known one. */
  private static double lag(List<Copy> copies) {
    OptionalLong most =
        copies.stream()
            .filter(each -> !each.phase().equals("promoted") && each.lagSeconds() >= 0)
            .mapToLong(Copy::lagSeconds)
            .max();
    return most.isPresent() ? most.getAsLong() : Double.NaN;
  }

  /** Takes a point, if it is time for one. The watch calls it every second. */
  void look(StoreStatus store) {
    Figures known = latest();
    if (known == null || System.nanoTime() - known.nanos() >= LEAST_NANOS) {
      take(Figures.of(parts, store), store, System.currentTimeMillis());
    }
  }

  /** Takes a point; the first one only begins the count. */
  private synchronized void take(Figures now, StoreStatus store, long nowMillis) {
    Figures previous = last;
    before = previous;
    last = now;
    if (previous == null) {
      return;
    }
    Point point = new Point(now.since(previous), parts, store);
    ring.add(
        TimeUnit.MILLISECONDS.toSeconds(nowMillis),
        SERIES.stream().map(each -> each.value().applyAsDouble(point)).toList());
    encoded = null;
  }

  /** Returns the figures of the last point; null before the first. */
  synchronized @Nullable Figures latest() {
    return last;
  }

  /** Returns the figures of the last point but one, or of the last one; null before the first. */
  synchronized @Nullable Figures earlier() {
    return before == null ? last : before;
  }

  /** Returns the points as JSON, the oldest first. It is made once for all who ask. */
  synchronized String json() {
    String known = encoded;
    if (known == null) {
      known = encode();
      encoded = known;
    }
    return known;
  }

  private String encode() {
    PageJson json = new PageJson().object().with("intervalSeconds", INTERVAL_SECONDS);
    ring.write(json);
    return json.endObject().toString();
  }

  /** Writes the last point; nothing is known before the first. */
  synchronized void writeLast(String name, PageJson json) {
    ring.writeLast(name, json);
  }

  /** Returns the bytes that the points take. */
  synchronized long bytes() {
    return ring.bytes();
  }
}
