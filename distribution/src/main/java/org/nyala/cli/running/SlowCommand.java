package org.nyala.cli.running;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.nyala.cli.command.DataCommand;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.OperationsMXBean;
import org.nyala.management.bean.OperationsMXBean.Running;
import org.nyala.management.bean.OperationsMXBean.SlowRequest;
import org.nyala.server.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code nyala slow}. */
@Command(
    name = "slow",
    description = {
      "Shows which clients have sent slow requests, by operation and shape of the filter, since the"
          + " server started or since the last --reset; then those that run.",
      "Slow is what takes log.slowMillis or more; the time for which the server waits for the"
          + " client does not count. No access log is needed.",
      "Must be run as the server's user, or with --jmx as the user of management.jmxAdmin."
    })
public final class SlowCommand extends DataCommand {
  private static final int MOST_ROWS = 1000;

  /** The orders of rows. */
  enum Order {
    total,
    count,
    longest
  }

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "Maximum rows of each table, 1 to 1000 (default ${DEFAULT-VALUE}).")
  private int top = 20;

  @Option(
      names = "--by",
      paramLabel = "ORDER",
      description = "The greatest first: total, count or longest (default ${DEFAULT-VALUE}).")
  private Order order = Order.total;

  @Option(names = "--reset", description = "Begin from nothing after the table was printed.")
  private boolean reset;

  @Option(names = "--json", description = "Print one JSON object; the manual names its members.")
  private boolean json;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  /** The state of the server's table at a moment. */
  private record Seen(
      long millis, List<SlowRequest> ended, int others, long dropped, List<Running> running) {}

  @Override
  public Integer call() {
    requireRange(spec(), "--top", top, 1, MOST_ROWS);
    try (LocalManagement server = remote.connect().orElseGet(this::connect)) {
      Seen seen = look(server.operations());
      print(json, () -> json(seen), () -> lines(seen));
      if (reset) {
        server.operations().resetSlowRequests();
      }
    } catch (UndeclaredThrowableException e) {
      throw CommandException.failed("the server has ended, or does not know slow requests");
    }
    return ExitCode.OK;
  }

  private Seen look(OperationsMXBean operations) {
    Comparator<SlowRequest> ascending =
        switch (order) {
          case total -> Comparator.comparingLong(SlowRequest::totalMillis);
          case count -> Comparator.comparingLong(SlowRequest::count);
          case longest -> Comparator.comparingLong(SlowRequest::longestMillis);
        };
    long millis = operations.getSlowMillis();
    List<SlowRequest> all = operations.getSlowRequests();
    return new Seen(
        millis,
        all.stream().sorted(ascending.reversed()).limit(top).toList(),
        Math.max(0, all.size() - top),
        operations.getSlowRequestsDropped(),
        millis == 0 ? List.of() : operations.slow(millis, top));
  }

  private static List<String> lines(Seen seen) {
    if (seen.millis() == 0) {
      return List.of("slow requests are not counted: log.slowMillis is 0");
    }
    List<String> lines = new ArrayList<>();
    lines.add("ended, of " + seen.millis() + " ms or more");
    TextTable table = new TextTable("operation", "count", "longest ms", "total ms");
    List<String> ends = new ArrayList<>(List.of("client, shape"));
    for (SlowRequest each : seen.ended()) {
      table.add(
          each.operation(),
          Long.toString(each.count()),
          Long.toString(each.longestMillis()),
          Long.toString(each.totalMillis()));
      ends.add(each.client() + (each.shape().isEmpty() ? "" : ", " + each.shape()));
    }
    append(table, ends, lines);
    if (seen.others() > 0) {
      lines.add("  and " + seen.others() + " more rows: --top");
    }
    if (seen.dropped() > 0) {
      lines.add("  " + seen.dropped() + " rows with less time have made way for others");
    }
    lines.add("");
    lines.add("running");
    TextTable running = new TextTable("operation", "connection", "message", "ms");
    ends = new ArrayList<>(List.of("client, request"));
    for (Running each : seen.running()) {
      running.add(
          each.operation(),
          Integer.toString(each.connection()),
          Integer.toString(each.messageId()),
          Long.toString(each.millis()));
      String client = each.identity().isEmpty() ? "anonymous" : each.identity();
      ends.add(client + ", " + each.request());
    }
    append(running, ends, lines);
    return lines;
  }

  /** Appends a table with a last column of any width, which has a heading of its own. */
  private static void append(TextTable table, List<String> ends, List<String> lines) {
    List<String> rows = table.lines();
    for (int i = 0; i < rows.size(); i++) {
      lines.add(ends.size() == 1 ? rows.get(i) : rows.get(i) + "  " + ends.get(i));
    }
  }

  private static String json(Seen seen) {
    JsonArray ended = new JsonArray();
    for (SlowRequest each : seen.ended()) {
      JsonObject one = new JsonObject();
      one.addProperty("client", each.client());
      one.addProperty("operation", each.operation());
      one.addProperty("shape", each.shape());
      one.addProperty("count", each.count());
      one.addProperty("longestMillis", each.longestMillis());
      one.addProperty("totalMillis", each.totalMillis());
      one.addProperty("last", each.last());
      ended.add(one);
    }
    JsonArray running = new JsonArray();
    for (Running each : seen.running()) {
      JsonObject one = new JsonObject();
      one.addProperty("client", each.identity());
      one.addProperty("operation", each.operation());
      one.addProperty("request", each.request());
      one.addProperty("connection", each.connection());
      one.addProperty("messageId", each.messageId());
      one.addProperty("millis", each.millis());
      running.add(one);
    }
    JsonObject json = new JsonObject();
    json.addProperty("slowMillis", seen.millis());
    json.add("ended", ended);
    json.addProperty("others", seen.others());
    json.addProperty("dropped", seen.dropped());
    json.add("running", running);
    return json.toString();
  }
}
