package org.nyala.management.page;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.session.Operation;
import org.nyala.log.AccessLog;
import org.nyala.log.SlowRequests;
import org.nyala.management.ServerComponents;
import org.nyala.netty.ConnectionStatus;

/**
 * The sections of connections, of operations that run, of followers and of slow requests: the
 * greatest few of each.
 *
 * <p>Confined to the thread that looks, and the event loops while it waits for them.
 */
final class ClientsSection {
  private static final int MOST_LISTED = 20;

  /** The longest time between two lists of many connections. */
  private static final int MOST_SECONDS = 30;

  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  /** A connection and its operations in a second. Immutable. */
  private record Busy(ConnectionStatus status, double perSecond) {}

  /** An operation that goes on, described while its event loop stands still. Immutable. */
  private record Running(
      int connection,
      int messageId,
      String operation,
      String identity,
      String request,
      long arrivalNanos) {
    private static Running of(Operation operation) {
      return new Running(
          operation.connectionNumber(),
          operation.request().messageId(),
          operation.request().type().label(),
          operation.identity().dn().toString(),
          AccessLog.summary(operation.request()),
          operation.arrivalNanos());
    }
  }

  /** The longest operations, and the number of all. Thread-safe: event loops add theirs. */
  private static final class Longest {
    private final PriorityQueue<Running> rows =
        new PriorityQueue<>(Comparator.comparingLong((Running each) -> -each.arrivalNanos()));
    private int count;

    synchronized void add(Operation operation) {
      count++;
      Running latest = rows.peek();
      if (rows.size() < MOST_LISTED
          || latest != null && operation.arrivalNanos() - latest.arrivalNanos() < 0) {
        rows.add(Running.of(operation));
      }
      if (rows.size() > MOST_LISTED) {
        Running _ = rows.poll();
      }
    }

    synchronized int count() {
      return count;
    }

    synchronized List<Running> rows() {
      return rows.stream().sorted(Comparator.comparingLong(Running::arrivalNanos)).toList();
    }
  }

  /** Operations that end by themselves, and those that last. Immutable. */
  private record Operations(Longest ending, Longest lasting) {}

  private final ServerComponents parts;
  private final Paced<List<Busy>> busiest;
  private final Paced<Operations> operations;
  private Map<Integer, Long> completed = Map.of();
  private long listedNanos;

  ClientsSection(PageSources sources) {
    this.parts = sources.parts();
    this.busiest = new Paced<>(this::list, Runnable::run, 0, MOST_SECONDS);
    this.operations = new Paced<>(this::visit, Runnable::run, 0, MOST_SECONDS);
  }

  void write(Moment moment, PageJson json) {
    connections(moment, json);
    Operations found = operations.get();
    json.list("running");
    if (found != null) {
      long now = parts.directory().nanoTime();
      for (Running each : found.ending().rows()) {
        row(each, json)
            .with("millis", TimeUnit.NANOSECONDS.toMillis(now - each.arrivalNanos()))
            .endObject();
      }
    }
    json.endList().list("followers");
    if (found != null) {
      long now = parts.directory().nanoTime();
      for (Running each : found.lasting().rows()) {
        row(each, json)
            .with("seconds", TimeUnit.NANOSECONDS.toSeconds(now - each.arrivalNanos()))
            .endObject();
      }
    }
    json.endList().with("followersCount", found == null ? 0 : found.lasting().count());
    slow(json);
  }

  private static PageJson row(Running running, PageJson json) {
    return json.object()
        .with("connection", running.connection())
        .with("messageId", running.messageId())
        .with("operation", running.operation())
        .with("identity", running.identity())
        .with("request", running.request());
  }

  private Operations visit() {
    Operations found = new Operations(new Longest(), new Longest());
    parts
        .wire()
        .visitRunning(
            operation -> (operation.isEndless() ? found.lasting() : found.ending()).add(operation));
    return found;
  }

  private void connections(Moment moment, PageJson json) {
    ServerMetrics metrics = parts.directory().metrics();
    MemoryBudget memory = parts.directory().memory();
    json.object("connections")
        .with("open", parts.wire().connectionCount())
        .with("openedPerSecond", moment.recent().perSecond(moment.recent().opened()))
        .with("opened", metrics.connectionsOpened().sum())
        .with("refused", metrics.connectionsRefused().sum())
        .with("stalled", metrics.connectionsStalled().sum())
        .with("heldBytes", memory.held())
        .with("heldBytesBound", memory.bounds().wholeBytes())
        .list("busiest");
    List<Busy> rows = busiest.get();
    if (rows != null) {
      long now = parts.directory().nanoTime();
      rows.forEach(each -> connection(each, now, json));
    }
    json.endList().with("busiestSeconds", busiest.ageSeconds()).endObject();
  }

  private static void connection(Busy each, long now, PageJson json) {
    ConnectionStatus status = each.status();
    json.object()
        .with("number", status.number())
        .with("peer", status.peer())
        .with("local", status.local())
        .with("identity", status.session().identity().dn().toString())
        .with("perSecond", each.perSecond())
        .with("completed", status.session().completed())
        .with("executing", status.session().executing())
        .with("pending", status.session().pending())
        .with("ageSeconds", TimeUnit.NANOSECONDS.toSeconds(now - status.openedNanos()))
        .with("idleSeconds", TimeUnit.NANOSECONDS.toSeconds(now - status.session().activityNanos()))
        .with("reading", status.isReading())
        .with("writable", status.isWritable())
        .endObject();
  }

  /** Lists the connections with most operations since the list before. */
  private List<Busy> list() {
    long now = System.nanoTime();
    double seconds = (now - listedNanos) / NANOS_PER_SECOND;
    boolean isFirst = listedNanos == 0;
    Map<Integer, Long> before = completed;
    Map<Integer, Long> counted = new HashMap<>();
    List<Busy> all = new ArrayList<>();
    for (ConnectionStatus each : parts.wire().connections()) {
      long ended = each.session().completed();
      counted.put(each.number(), ended);
      // One that was not there has made all its operations since.
      long since = ended - before.getOrDefault(each.number(), isFirst ? ended : 0L);
      all.add(new Busy(each, since / seconds));
    }
    completed = counted;
    listedNanos = now;
    return all.stream()
        .sorted(
            Comparator.comparingDouble(Busy::perSecond)
                .thenComparingLong(each -> each.status().session().completed())
                .reversed())
        .limit(MOST_LISTED)
        .toList();
  }

  /** Writes the slow requests, and the clients that have made most of them. */
  private void slow(PageJson json) {
    List<SlowRequests.Row> rows = parts.slow().rows();
    json.object("slow")
        .with("leastMillis", parts.slow().leastMillis())
        .with("dropped", parts.slow().dropped())
        .list("requests");
    rows.stream()
        .limit(MOST_LISTED)
        .forEach(
            row ->
                json.object()
                    .with("client", row.client())
                    .with("operation", row.operation())
                    .with("shape", row.shape())
                    .with("count", row.count())
                    .with("longestMillis", TimeUnit.NANOSECONDS.toMillis(row.longestNanos()))
                    .with("totalMillis", TimeUnit.NANOSECONDS.toMillis(row.totalNanos()))
                    .with("last", row.last().toString())
                    .endObject());
    json.endList().list("clients");
    for (Slow each : Slow.of(rows)) {
      json.object()
          .with("client", each.client)
          .with("count", each.count)
          .with("longestMillis", TimeUnit.NANOSECONDS.toMillis(each.longestNanos))
          .with("totalMillis", TimeUnit.NANOSECONDS.toMillis(each.totalNanos))
          .endObject();
    }
    json.endList().endObject();
  }

  /** The slow requests of one client, of all shapes. Confined to one look. */
  private static final class Slow {
    private final String client;
    private long count;
    private long longestNanos;
    private long totalNanos;

    private Slow(String client) {
      this.client = client;
    }

    private static List<Slow> of(List<SlowRequests.Row> rows) {
      Map<String, Slow> clients = new LinkedHashMap<>();
      for (SlowRequests.Row row : rows) {
        Slow sum = clients.computeIfAbsent(row.client(), Slow::new);
        sum.count += row.count();
        sum.longestNanos = Math.max(sum.longestNanos, row.longestNanos());
        sum.totalNanos += row.totalNanos();
      }
      return clients.values().stream()
          .sorted(Comparator.comparingLong((Slow each) -> each.totalNanos).reversed())
          .limit(MOST_LISTED)
          .toList();
    }
  }
}
