package org.nyala.management.page;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.Latency;
import org.nyala.core.metrics.OperationMetrics;
import org.nyala.core.metrics.Phase;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.lmdb.StoreStatus;
import org.nyala.management.ServerComponents;

/**
 * The numbers of a server that only grow, at one moment; or by how much they have grown since
 * another one.
 *
 * <p>Immutable.
 *
 * @param nanos the moment, or the time between both
 * @param kinds the requests by their kind
 * @param phases the durations of each phase, of all requests that went through it
 * @param commits the durations of commits
 * @param sizes the changes of each commit that had any
 * @param changes entries changed
 * @param opened connections accepted
 * @param refused operations answered busy
 */
record Figures(
    long nanos,
    Map<OperationType, Requests> kinds,
    Map<Phase, Latency> phases,
    Latency commits,
    Latency sizes,
    long changes,
    long opened,
    long refused) {
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  /**
   * The requests of one kind. Immutable.
   *
   * @param completed those that have ended
   * @param whole their durations
   */
  record Requests(long completed, Latency whole) {}

  /**
   * Reads the numbers.
   *
   * @param status the status of the store; null if it cannot be read
   */
  static Figures of(ServerComponents parts, @Nullable StoreStatus status) {
    ServerMetrics metrics = parts.directory().metrics();
    OperationMetrics operations = metrics.operations();
    Map<OperationType, Requests> kinds = new EnumMap<>(OperationType.class);
    Map<Phase, Latency> phases = new EnumMap<>(Phase.class);
    for (OperationType type : OperationType.values()) {
      Latency whole = Latency.none();
      for (Latency each : operations.requests(type).values()) {
        whole = whole.and(each);
      }
      kinds.put(
          type,
          new Requests(type.isUnanswered() ? operations.startedCount(type) : whole.count(), whole));
      for (Phase phase : Phase.values()) {
        phases.merge(phase, operations.phase(type, phase), Latency::and);
      }
    }
    return new Figures(
        System.nanoTime(),
        kinds,
        phases,
        status == null ? Latency.none() : status.commits().durations(),
        status == null ? Latency.none() : status.commits().sizes(),
        status == null ? 0 : status.commits().changes(),
        metrics.connectionsOpened().sum(),
        metrics.operationsRefused().sum());
  }

  /** Returns the growth since an earlier moment. */
  Figures since(Figures earlier) {
    Map<OperationType, Requests> grownKinds = new EnumMap<>(OperationType.class);
    kinds.forEach(
        (type, now) -> {
          Requests before = earlier.of(type);
          grownKinds.put(
              type,
              new Requests(
                  Math.max(0, now.completed() - before.completed()),
                  now.whole().since(before.whole())));
        });
    Map<Phase, Latency> grownPhases = new EnumMap<>(Phase.class);
    phases.forEach((phase, now) -> grownPhases.put(phase, now.since(earlier.of(phase))));
    return new Figures(
        Math.max(1, nanos - earlier.nanos),
        grownKinds,
        grownPhases,
        commits.since(earlier.commits),
        sizes.since(earlier.sizes),
        Math.max(0, changes - earlier.changes),
        Math.max(0, opened - earlier.opened),
        Math.max(0, refused - earlier.refused));
  }

  /** Returns the growth since an earlier moment without the durations of requests and phases. */
  Figures countsSince(Figures earlier) {
    Map<OperationType, Requests> grown = new EnumMap<>(OperationType.class);
    kinds.forEach(
        (type, now) -> {
          long more = now.completed() - earlier.of(type).completed();
          grown.put(type, new Requests(Math.max(0, more), Latency.none()));
        });
    return new Figures(
        Math.max(1, nanos - earlier.nanos),
        grown,
        Map.of(),
        commits.since(earlier.commits),
        Latency.none(),
        Math.max(0, changes - earlier.changes),
        Math.max(0, opened - earlier.opened),
        Math.max(0, refused - earlier.refused));
  }

  Requests of(OperationType type) {
    return kinds.getOrDefault(type, new Requests(0, Latency.none()));
  }

  Latency of(Phase phase) {
    return phases.getOrDefault(phase, Latency.none());
  }

  /** Returns the durations of all requests. */
  Latency whole() {
    Latency all = Latency.none();
    for (Requests each : kinds.values()) {
      all = all.and(each.whole());
    }
    return all;
  }

  /** Returns the number of all requests that have ended. */
  long completed() {
    return kinds.values().stream().mapToLong(Requests::completed).sum();
  }

  /** Returns the time between both moments, in seconds. */
  double seconds() {
    return nanos / NANOS_PER_SECOND;
  }

  /** Returns a growth in a second. */
  double perSecond(long growth) {
    return growth / seconds();
  }

  /** Returns a percentile in microseconds; not a number if nothing was measured. */
  static double micros(Latency latency, double fraction) {
    return latency.count() == 0
        ? Double.NaN
        : TimeUnit.NANOSECONDS.toMicros(latency.percentileNanos(fraction));
  }
}
