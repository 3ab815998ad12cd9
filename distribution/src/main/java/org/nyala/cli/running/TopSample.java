package org.nyala.cli.running;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.management.bean.ConnectionsMXBean.Connection;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.OperationsMXBean;
import org.nyala.management.bean.OperationsMXBean.Kind;
import org.nyala.management.bean.OperationsMXBean.Running;
import org.nyala.management.bean.ServerMXBean;
import org.nyala.management.bean.StoreMXBean;

/**
 * The figures of a server at a moment, and the rates since the moment before.
 *
 * <p>Immutable.
 *
 * @param program name and version of the server's program
 * @param data its data directory
 * @param strategy its dispatch strategy
 * @param alarms its current problems
 * @param server the numbers of its beans, by names such as Store.Entries
 * @param kinds the kinds of operations that there were, with the rates of each
 * @param connections open connections, each with the operations that have ended per second
 * @param running operations that have not ended and end by themselves, the longest first
 * @param live what the live page shows
 * @param extensions what extensions count and measure
 * @param seconds the time since the moment before
 * @param rates the numbers that grow, per second
 */
record TopSample(
    String program,
    String data,
    String strategy,
    List<String> alarms,
    Map<String, Long> server,
    List<Rate> kinds,
    List<Row> connections,
    List<Running> running,
    LivePart live,
    Map<String, Long> extensions,
    double seconds,
    Map<String, Double> rates) {
  /** The most operations that are read, those of followers among them. */
  static final int MOST_RUNNING = 10_000;

  /** The parts of the live page that have their own names among the figures. */
  private static final List<String> PARTS =
      List.of(
          "server",
          "dispatch",
          "findings",
          "certificates",
          "accounts",
          "notices",
          "slow",
          "followers",
          "followersCount",
          "copies",
          "epochs",
          "cluster",
          "store",
          "jobs");

  private static final double NANOS_PER_SECOND = 1e9;
  private static final Map<String, String> BEANS =
      Map.of(
          "Server",
          ServerMXBean.NAME,
          "Connections",
          ConnectionsMXBean.NAME,
          "Operations",
          OperationsMXBean.NAME,
          "Store",
          StoreMXBean.NAME,
          "Dispatch",
          "org.nyala:type=Dispatch");

  /**
   * A kind of operations. Immutable.
   *
   * @param whole since the server started
   * @param perSecond those that have ended since the moment before
   * @param meanMicros their mean duration; 0 for none
   */
  record Rate(Kind whole, double perSecond, double meanMicros) {}

  /**
   * A connection. Immutable.
   *
   * @param perSecond its operations that have ended since the moment before
   */
  record Row(Connection whole, double perSecond) {}

  /** Reads the figures of a server one moment after the other. Confined to one thread. */
  static final class Reader {
    private final LocalManagement server;
    private Map<String, Long> counted = Map.of();
    private Map<String, Kind> kinds = Map.of();
    private Map<Integer, Long> completed = Map.of();
    private long nanos;

    Reader(LocalManagement server) {
      this.server = server;
    }

    /**
     * Reads the figures.
     *
     * @throws IOException if the server has ended
     */
    TopSample read() throws IOException {
      try {
        return read(System.nanoTime());
      } catch (UndeclaredThrowableException | IllegalStateException e) {
        throw new IOException("the server has ended", e);
      }
    }

    private TopSample read(long now) throws IOException {
      boolean isFirst = nanos == 0;
      double seconds = isFirst ? 0 : (now - nanos) / NANOS_PER_SECOND;
      nanos = now;
      Map<String, Long> numbers = new HashMap<>();
      for (Map.Entry<String, String> bean : BEANS.entrySet()) {
        server
            .numbers(bean.getValue())
            .forEach((name, value) -> numbers.put(bean.getKey() + '.' + name, value));
      }
      OperationsMXBean operations = server.operations();
      StoreMXBean store = server.store();
      OperationsMXBean.Times commits = store.getCommits();
      numbers.put("Store.Commits", commits.count());
      numbers.put("Store.CommitMicros", commits.totalMicros());
      Map<String, Double> rates = new HashMap<>();
      if (!isFirst) {
        numbers.forEach(
            (name, value) ->
                rates.put(name, (value - counted.getOrDefault(name, value)) / seconds));
      }
      counted = numbers;
      ServerMXBean whole = server.server();
      return new TopSample(
          whole.getVersion(),
          whole.getData(),
          server.dispatch().getStrategy(),
          whole.getAlarms(),
          numbers,
          kinds(operations.getKinds(), seconds),
          connections(
              server.connections().list(ConnectionsMXBean.MAXIMUM_LISTED), isFirst ? 0 : seconds),
          operations.slow(0, MOST_RUNNING).stream().filter(each -> !each.isLasting()).toList(),
          LivePart.of(server.live().look()),
          whole.getExtensionMeters(),
          seconds,
          rates);
    }

    private List<Rate> kinds(List<Kind> read, double seconds) {
      Map<String, Kind> before = kinds;
      kinds = new HashMap<>();
      List<Rate> rates = new ArrayList<>();
      for (Kind kind : read) {
        kinds.put(kind.operation(), kind);
        Kind old = before.get(kind.operation());
        long ended = old == null ? 0 : kind.completed() - old.completed();
        long timed = old == null ? 0 : kind.whole().count() - old.whole().count();
        long micros = old == null ? 0 : kind.whole().totalMicros() - old.whole().totalMicros();
        if (kind.started() > 0) {
          rates.add(
              new Rate(
                  kind,
                  seconds > 0 ? ended / seconds : 0,
                  timed > 0 ? (double) micros / timed : 0));
        }
      }
      return rates;
    }

    private List<Row> connections(List<Connection> read, double seconds) {
      Map<Integer, Long> before = completed;
      completed = new HashMap<>();
      List<Row> rows = new ArrayList<>(read.size());
      for (Connection each : read) {
        completed.put(each.number(), each.completed());
        // One that was not there has made all its operations since.
        long ended = each.completed() - before.getOrDefault(each.number(), 0L);
        rows.add(new Row(each, seconds > 0 ? ended / seconds : 0));
      }
      return rows;
    }
  }

  /** Returns a number of a bean; 0 if the server does not have it. */
  long number(String name) {
    return server.getOrDefault(name, 0L);
  }

  /** Returns the rate of a number that grows; 0 at the first moment. */
  double rate(String name) {
    return rates.getOrDefault(name, 0.0);
  }

  /** Returns whether the server has looked for locked accounts, and at itself, since it started. */
  boolean isExamined() {
    return live.part("accounts").has("locked") && live.has("findingsSeconds");
  }

  /**
   * Returns the figures as one JSON object.
   *
   * @param shown the connections in it
   */
  String json(List<Row> shown) {
    JsonObject json = new JsonObject();
    json.addProperty("program", program);
    json.addProperty("data", data);
    json.addProperty("strategy", strategy);
    json.addProperty("seconds", seconds);
    JsonArray problems = new JsonArray();
    alarms.forEach(problems::add);
    json.add("alarms", problems);
    json.add("numbers", numbers(server));
    json.add("perSecond", numbers(rates));
    JsonArray operations = new JsonArray();
    for (Rate each : kinds) {
      operations.add(kind(each));
    }
    json.add("operations", operations);
    JsonArray open = new JsonArray();
    shown.forEach(each -> open.add(connection(each)));
    json.add("connections", open);
    JsonArray unfinished = new JsonArray();
    running.forEach(each -> unfinished.add(operation(each)));
    json.add("running", unfinished);
    json.add("extensions", numbers(extensions));
    PARTS.forEach(name -> json.add(name, known(live.json().get(name))));
    json.add("states", known(live.json().get("extensions")));
    JsonObject latency = live.part("operations").json();
    for (String name : List.of("windowSeconds", "medianMicros", "percentile99Micros", "phases")) {
      json.add(name, known(latency.get(name)));
    }
    return json.toString();
  }

  private static JsonElement known(@Nullable JsonElement part) {
    return part == null ? JsonNull.INSTANCE : part;
  }

  private static JsonObject numbers(Map<String, ? extends Number> numbers) {
    JsonObject json = new JsonObject();
    numbers.keySet().stream().sorted().forEach(name -> json.addProperty(name, numbers.get(name)));
    return json;
  }

  private static JsonObject kind(Rate each) {
    JsonObject json = new JsonObject();
    json.addProperty("operation", each.whole().operation());
    json.addProperty("completed", each.whole().completed());
    json.addProperty("perSecond", each.perSecond());
    json.addProperty("meanMicros", each.meanMicros());
    json.add("whole", times(each.whole().whole()));
    JsonObject phases = new JsonObject();
    each.whole().phases().forEach((name, times) -> phases.add(name, times(times)));
    json.add("phases", phases);
    return json;
  }

  private static JsonObject times(OperationsMXBean.@Nullable Times times) {
    JsonObject json = new JsonObject();
    if (times != null) {
      json.addProperty("medianMicros", times.medianMicros());
      json.addProperty("percentile99Micros", times.percentile99Micros());
      json.addProperty("percentile999Micros", times.percentile999Micros());
    }
    return json;
  }

  private static JsonObject connection(Row each) {
    JsonObject json = new JsonObject();
    Connection one = each.whole();
    json.addProperty("number", one.number());
    json.addProperty("peer", one.peer());
    json.addProperty("identity", one.identity());
    json.addProperty("perSecond", each.perSecond());
    json.addProperty("completed", one.completed());
    json.addProperty("executing", one.executing());
    json.addProperty("pending", one.pending());
    json.addProperty("ageSeconds", one.ageSeconds());
    json.addProperty("idleSeconds", one.idleSeconds());
    json.addProperty("reading", one.isReading());
    json.addProperty("writable", one.isWritable());
    return json;
  }

  private static JsonObject operation(Running each) {
    JsonObject json = new JsonObject();
    json.addProperty("connection", each.connection());
    json.addProperty("messageId", each.messageId());
    json.addProperty("operation", each.operation());
    json.addProperty("identity", each.identity());
    json.addProperty("request", each.request());
    json.addProperty("millis", each.millis());
    return json;
  }
}
