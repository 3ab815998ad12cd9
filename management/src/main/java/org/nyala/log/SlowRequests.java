package org.nyala.log;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.metrics.Phase;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionListener;

/**
 * The table of slow requests by client, operation and shape, without values.
 *
 * <p>Thread-safe. Hot: a request that is not slow costs a comparison of its time. It is bounded by
 * {@link #MOST_ROWS} rows of some hundred bytes: a client with {@link #MOST_SHAPES} shapes has its
 * further ones counted in a row of their own, and the row of the least total time makes way for a
 * new one.
 */
public final class SlowRequests implements SessionListener {
  /** The rows that are kept. */
  public static final int MOST_ROWS = 1000;

  /** The rows of one client, without that of its further requests. */
  public static final int MOST_SHAPES = 50;

  /** The shape of the row that has a client's further requests. */
  static final String FURTHER = "(further shapes)";

  private static final int MOST_CHARACTERS = 256;

  private static final Set<String> LASTING =
      Set.of(ControlType.PERSISTENT_SEARCH.oid(), ControlType.SYNC_REQUEST.oid());

  /**
   * One row of the table.
   *
   * <p>Immutable.
   *
   * @param client the DN that the requests ran as; the address of clients that have not bound
   * @param operation bind, search, compare, modify, modifyDn, add, delete or extended
   * @param shape the scope and the filter of a search, the attributes of a change; without values
   * @param count the number of slow requests
   * @param longestNanos the longest time of one
   * @param totalNanos the time of all
   * @param last the end of the last one
   */
  public record Row(
      String client,
      String operation,
      String shape,
      long count,
      long longestNanos,
      long totalNanos,
      Instant last) {
    private Row and(long nanos, Instant now) {
      long longest = Math.max(longestNanos, nanos);
      return new Row(client, operation, shape, count + 1, longest, totalNanos + nanos, now);
    }
  }

  private record Key(String client, OperationType operation, String shape) {}

  private final InstantSource clock;
  private final Map<Key, Row> rows = new HashMap<>();
  private final Map<String, Integer> shapes = new HashMap<>();
  private volatile long leastNanos = Long.MAX_VALUE;
  private long dropped;

  /** Creates a table that takes nothing yet. */
  public SlowRequests(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * Sets the time from which a request is slow.
   *
   * @param millis 0 to take none
   */
  public void setLeastMillis(long millis) {
    leastNanos = millis == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Returns that time in milliseconds; 0 if none is taken. */
  public long leastMillis() {
    long least = leastNanos;
    return least == Long.MAX_VALUE ? 0 : TimeUnit.NANOSECONDS.toMillis(least);
  }

  @Override
  public void completed(Session session, Operation operation, @Nullable LdapResult answer) {
    if (operation.totalNanos() >= leastNanos) {
      // The time for which it waits for its client does not count.
      long nanos = operation.totalNanos() - operation.nanos(Phase.WRITE);
      Request request = operation.request();
      if (nanos >= leastNanos && !isLasting(request)) {
        add(
            client(session, operation),
            request.type(),
            RequestShape.of(request, MOST_CHARACTERS),
            nanos);
      }
    }
  }

  /** Returns whether a search goes on for as long as its client wants changes. */
  private static boolean isLasting(Request request) {
    return request.controls().stream().anyMatch(control -> LASTING.contains(control.oid()));
  }

  private static String client(Session session, Operation operation) {
    String name = LogText.plain(operation.identity().dn().toString());
    String client =
        name.isEmpty() ? LogText.plain(session.connection().address().toString()) : name;
    return client.length() <= MOST_CHARACTERS ? client : client.substring(0, MOST_CHARACTERS);
  }

  /** Adds a slow request. */
  synchronized void add(String client, OperationType operation, String shape, long nanos) {
    Key key = new Key(client, operation, shape);
    if (!rows.containsKey(key) && shapes.getOrDefault(client, 0) >= MOST_SHAPES) {
      key = new Key(client, operation, FURTHER);
    }
    Row row = rows.get(key);
    if (row == null) {
      makeWay();
      shapes.merge(client, 1, Integer::sum);
      row = new Row(client, operation.label(), key.shape(), 0, 0, 0, Instant.EPOCH);
    }
    rows.put(key, row.and(nanos, clock.instant()));
  }

  private void makeWay() {
    if (rows.size() < MOST_ROWS) {
      return;
    }
    rows.entrySet().stream()
        .min(Comparator.comparingLong(each -> each.getValue().totalNanos()))
        .map(Map.Entry::getKey)
        .ifPresent(
            least -> {
              rows.remove(least);
              shapes.computeIfPresent(least.client(), (_, held) -> held == 1 ? null : held - 1);
              dropped++;
            });
  }

  /** Returns the rows, that of the greatest total time first. */
  public synchronized List<Row> rows() {
    List<Row> all = new ArrayList<>(rows.values());
    all.sort(Comparator.comparingLong(Row::totalNanos).reversed());
    return all;
  }

  /** Returns the number of rows that have made way for others. */
  public synchronized long dropped() {
    return dropped;
  }

  /** Empties the table. */
  public synchronized void clear() {
    rows.clear();
    shapes.clear();
    dropped = 0;
  }
}
