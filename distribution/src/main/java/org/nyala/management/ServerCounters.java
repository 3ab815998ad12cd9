package org.nyala.management;

import java.util.EnumMap;
import java.util.Map;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.OperationMetrics;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.lmdb.StoreStatus;

/** What a serving server has to say in its {@link CountersFile}. Stateless. */
public final class ServerCounters {
  private ServerCounters() {}

  /**
   * Looks at a server.
   *
   * @param status what its store is like
   */
  public static Map<Counter, Long> of(ServerComponents parts, StoreStatus status) {
    Map<Counter, Long> numbers = new EnumMap<>(Counter.class);
    addOperations(numbers, parts.directory().metrics());
    numbers.put(Counter.CONNECTIONS, (long) parts.wire().connectionCount());
    numbers.put(Counter.DISPATCH_IN_FLIGHT, (long) parts.directory().strategy().inFlight());
    numbers.put(Counter.UPDATES_QUEUED, (long) parts.updatesQueued().getAsInt());
    numbers.put(Counter.UPDATES_REFUSED, parts.updatesRefused().getAsLong());
    addStore(numbers, status);
    return numbers;
  }

  private static void addOperations(Map<Counter, Long> numbers, ServerMetrics metrics) {
    numbers.put(Counter.CONNECTIONS_OPENED, metrics.connectionsOpened().sum());
    numbers.put(Counter.BYTES_RECEIVED, metrics.bytesReceived().sum());
    numbers.put(Counter.BYTES_SENT, metrics.bytesSent().sum());
    numbers.put(Counter.ENTRIES_SENT, metrics.entriesSent().sum());
    long completed = metrics.operationsCompleted().sum();
    numbers.put(
        Counter.OPERATIONS_ACTIVE, Math.max(0, metrics.operationsStarted().sum() - completed));
    numbers.put(Counter.OPERATIONS_REFUSED, metrics.operationsRefused().sum());
    numbers.put(Counter.REQUESTS_MALFORMED, metrics.malformedRequests().sum());
    numbers.put(Counter.ERRORS, metrics.internalErrors().sum());
    OperationMetrics operations = metrics.operations();
    for (OperationType type : OperationType.values()) {
      numbers.put(Counter.completed(type), operations.completedCount(type));
      numbers.put(Counter.started(type), operations.startedCount(type));
    }
  }

  private static void addStore(Map<Counter, Long> numbers, StoreStatus status) {
    numbers.put(Counter.STORE_ENTRIES, status.entries());
    numbers.put(Counter.STORE_USED_BYTES, status.usedBytes());
    numbers.put(Counter.STORE_MAP_BYTES, status.mapBytes());
    numbers.put(Counter.STORE_MAXIMUM_BYTES, status.maximumBytes());
    numbers.put(Counter.STORE_OPEN_READS, (long) status.reading());
    numbers.put(Counter.STORE_LAST_TRANSACTION, status.transactions());
    numbers.put(Counter.STORE_COMMITS, status.commits().count());
    numbers.put(Counter.STORE_CHANGES, status.changes());
    numbers.put(Counter.STORE_LAST_COMMIT_MILLIS, status.lastCommitMillis());
    numbers.put(Counter.STORE_FAILURES, status.failures().count());
    numbers.put(Counter.STORE_LAST_FAILURE_MILLIS, status.failures().lastMillis());
  }
}
