package org.nyala.management;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.Latency;
import org.nyala.core.metrics.OperationMetrics;
import org.nyala.core.metrics.Phase;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.session.Operation;
import org.nyala.log.AccessLog;
import org.nyala.management.bean.OperationsMXBean;

/** The operations of a running server as JMX shows them. Thread-safe. */
public final class OperationsManagement implements OperationsMXBean {
  private static final System.Logger LOG = System.getLogger(OperationsManagement.class.getName());
  private static final int MAXIMUM_LISTED = 10_000;

  private final ServerComponents parts;

  public OperationsManagement(ServerComponents parts) {
    this.parts = parts;
  }

  private ServerMetrics metrics() {
    return parts.directory().metrics();
  }

  @Override
  public List<Kind> getKinds() {
    List<Kind> kinds = new ArrayList<>();
    for (OperationType type : OperationType.values()) {
      kinds.add(kind(metrics().operations(), type));
    }
    return kinds;
  }

  @Override
  public long resetLongestSlice() {
    metrics().operations().slices().takeLongestProcessorNanos();
    return micros(metrics().operations().slices().takeLongestNanos());
  }

  private static Kind kind(OperationMetrics operations, OperationType type) {
    Map<String, Long> results = new LinkedHashMap<>();
    Latency whole = Latency.none();
    for (Map.Entry<String, Latency> result : operations.requests(type).entrySet()) {
      results.put(result.getKey(), result.getValue().count());
      whole = whole.and(result.getValue());
    }
    Map<String, Times> phases = new LinkedHashMap<>();
    for (Phase phase : Phase.values()) {
      Latency latency = operations.phase(type, phase);
      if (latency.count() > 0) {
        phases.put(phase.label(), times(latency));
      }
    }
    return new Kind(
        type.label(),
        operations.startedCount(type),
        operations.completedCount(type),
        results,
        times(whole),
        times(operations.slices().times(type)),
        phases);
  }

  /** Converts a distribution to microseconds. */
  static Times times(Latency latency) {
    return new Times(
        latency.count(),
        micros(latency.sumNanos()),
        micros(latency.percentileNanos(0.5)),
        micros(latency.percentileNanos(0.9)),
        micros(latency.percentileNanos(0.99)),
        micros(latency.percentileNanos(0.999)));
  }

  private static long micros(long nanos) {
    return TimeUnit.NANOSECONDS.toMicros(nanos);
  }

  @Override
  public List<Running> slow(long millis, int most) {
    if (millis < 0 || most < 1 || most > MAXIMUM_LISTED) {
      throw new IllegalArgumentException(
          "expected milliseconds from 0 and 1 to " + MAXIMUM_LISTED + " operations");
    }
    long nowNanos = parts.directory().nanoTime();
    Collection<Running> found = new ConcurrentLinkedQueue<>();
    parts
        .wire()
        .visitRunning(
            operation -> {
              long age = TimeUnit.NANOSECONDS.toMillis(nowNanos - operation.arrivalNanos());
              if (age >= millis && found.size() < MAXIMUM_LISTED) {
                found.add(running(operation, age));
              }
            });
    return found.stream()
        .sorted(Comparator.comparingLong(Running::millis).reversed())
        .limit(most)
        .toList();
  }

  private static Running running(Operation operation, long age) {
    return new Running(
        operation.connectionNumber(),
        operation.request().messageId(),
        operation.request().type().label(),
        operation.identity().dn().toString(),
        AccessLog.summary(operation.request()),
        age,
        operation.isEndless());
  }

  @Override
  public long getSlowMillis() {
    return parts.slow().leastMillis();
  }

  @Override
  public List<SlowRequest> getSlowRequests() {
    return parts.slow().rows().stream()
        .map(
            row ->
                new SlowRequest(
                    row.client(),
                    row.operation(),
                    row.shape(),
                    row.count(),
                    TimeUnit.NANOSECONDS.toMillis(row.longestNanos()),
                    TimeUnit.NANOSECONDS.toMillis(row.totalNanos()),
                    row.last().toString()))
        .toList();
  }

  @Override
  public long getSlowRequestsDropped() {
    return parts.slow().dropped();
  }

  @Override
  public void resetSlowRequests() {
    parts.slow().clear();
  }

  @Override
  public boolean cancel(int connection, int messageId) {
    boolean done = parts.wire().cancel(connection, messageId);
    LOG.log(
        System.Logger.Level.INFO,
        "cancel operation {0} of connection {1} on request: {2}",
        Integer.toString(messageId),
        Integer.toString(connection),
        done);
    return done;
  }
}
