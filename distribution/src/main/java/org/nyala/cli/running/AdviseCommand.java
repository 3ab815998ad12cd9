package org.nyala.cli.running;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.nyala.cli.command.DataCommand;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.AdviceMXBean;
import org.nyala.management.bean.AdviceMXBean.Client;
import org.nyala.management.bean.AdviceMXBean.IndexUse;
import org.nyala.management.bean.AdviceMXBean.Shape;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.LocalManagement;
import org.nyala.server.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code nyala advise}. */
@Command(
    name = "advise",
    description = {
      "Shows what the searches of clients need, from all of them since the server started or since"
          + " the last --reset. Each finding has its weight, and the command that mends it.",
      "Names indexes that would have saved time, and those that nobody uses; clients that read"
          + " everything; limits that were met; bad settings of the system.",
      "Searches are counted by shape: their filters without values. No value is kept.",
      "Must be run as the server's user, or with --jmx as the user of management.jmxAdmin."
    })
public final class AdviseCommand extends DataCommand {
  private static final int MOST_ROWS = 16_384;
  private static final double MICROS_PER_MILLI = 1000;

  /** The orders of rows. */
  enum Order {
    time,
    count,
    read
  }

  @Option(
      names = "--shapes",
      description =
          "Also print the table of shapes, with the clients of each, and uses of indexes.")
  private boolean listsShapes;

  @Option(
      names = "--by",
      paramLabel = "ORDER",
      description =
          "With --shapes: the greatest first, time, count or read (default ${DEFAULT-VALUE}).")
  private Order order = Order.time;

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "With --shapes: maximum rows, 1 to 16384 (default ${DEFAULT-VALUE}).")
  private int top = 20;

  @Option(
      names = "--reset",
      description = "Begin to count from nothing afterwards; uses of indexes stay.")
  private boolean reset;

  @Option(names = "--json", description = "Print one JSON object; the manual names its members.")
  private boolean json;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  /** A shape and its clients. */
  private record Row(Shape shape, List<Client> clients) {}

  /** The advice and figures of the server. */
  private record Told(
      long seconds,
      long dropped,
      int room,
      List<Finding> findings,
      List<Row> rows,
      int others,
      List<IndexUse> indexes) {}

  @Override
  public Integer call() {
    requireRange(spec(), "--top", top, 1, MOST_ROWS);
    try (LocalManagement server = remote.connect().orElseGet(this::connect)) {
      Told told = ask(server.advice());
      print(json, () -> json(told), () -> lines(told));
      if (reset) {
        server.advice().reset();
      }
    } catch (UndeclaredThrowableException e) {
      throw CommandException.failed("the server has ended, or knows no advice");
    }
    return ExitCode.OK;
  }

  private Told ask(AdviceMXBean advice) {
    List<Finding> findings = advice.advise();
    List<Row> rows = new ArrayList<>();
    List<Shape> shapes = listsShapes ? advice.getShapes() : List.of();
    Comparator<Shape> ascending =
        switch (order) {
          case time -> Comparator.comparingLong(Shape::micros);
          case count -> Comparator.comparingLong(Shape::count);
          case read -> Comparator.comparingLong(Shape::read);
        };
    shapes.stream()
        .sorted(ascending.reversed())
        .limit(top)
        .forEach(each -> rows.add(new Row(each, clients(advice, each))));
    return new Told(
        advice.getObservedSeconds(),
        advice.getDroppedSearches(),
        advice.getRoom(),
        findings,
        rows,
        shapes.size() - rows.size(),
        listsShapes ? advice.getIndexUses() : List.of());
  }

  private static List<Client> clients(AdviceMXBean advice, Shape shape) {
    try {
      return advice.clients(shape.number());
    } catch (IllegalArgumentException _) {
      // It has made way for another one meanwhile.
      return List.of();
    }
  }

  private List<String> lines(Told told) {
    if (told.room() == 0) {
      return List.of("searches are not counted: management.searchShapes is 0");
    }
    List<String> lines = new ArrayList<>(FindingsReport.lines(told.findings()));
    if (listsShapes) {
      lines.add("");
      lines.addAll(table(told));
      lines.add("");
      lines.addAll(indexes(told.indexes()));
    }
    return lines;
  }

  private static List<String> table(Told told) {
    TextTable table = new TextTable("shape", "count", "total ms", "mean ms", "read", "returned");
    List<String> ends = new ArrayList<>(List.of("search: clients"));
    for (Row row : told.rows()) {
      Shape each = row.shape();
      double millis = each.micros() / MICROS_PER_MILLI;
      table.add(
          Integer.toString(each.number()),
          Long.toString(each.count()),
          String.format(Locale.ROOT, "%.1f", millis),
          String.format(Locale.ROOT, "%.3f", millis / Math.max(1, each.count())),
          Long.toString(each.read()),
          Long.toString(each.returned()));
      ends.add(text(each) + clients(row.clients()));
    }
    List<String> lines = new ArrayList<>();
    List<String> rows = table.lines();
    for (int i = 0; i < rows.size(); i++) {
      lines.add(told.rows().isEmpty() ? rows.get(i) : rows.get(i) + "  " + ends.get(i));
    }
    if (told.others() > 0) {
      lines.add("  and " + told.others() + " more shapes: --top");
    }
    if (told.dropped() > 0) {
      lines.add("  " + told.dropped() + " searches were of shapes without a place");
    }
    return lines;
  }

  private static String text(Shape shape) {
    return shape.scope() + ' ' + shape.filter() + " [" + shape.attributes() + ']';
  }

  private static String clients(List<Client> clients) {
    StringBuilder text = new StringBuilder();
    for (Client each : clients) {
      text.append(text.isEmpty() ? ": " : ", ")
          .append(each.name().isEmpty() ? "anonymous" : ErrorMessages.printable(each.name()))
          .append(' ')
          .append(ErrorMessages.printable(each.address()))
          .append(' ')
          .append(each.percent())
          .append(" %");
    }
    return text.toString();
  }

  private static List<String> indexes(List<IndexUse> indexes) {
    TextTable table = new TextTable("index", "look-ups", "last used, seconds ago");
    for (IndexUse each : indexes) {
      table.add(
          each.index(),
          Long.toString(each.count()),
          each.idleSeconds() < 0 ? "never" : Long.toString(each.idleSeconds()));
    }
    return table.lines();
  }

  private static String json(Told told) {
    JsonArray shapes = new JsonArray();
    for (Row row : told.rows()) {
      JsonObject one = json(row.shape());
      JsonArray clients = new JsonArray();
      for (Client each : row.clients()) {
        JsonObject client = new JsonObject();
        client.addProperty("name", each.name());
        client.addProperty("address", each.address());
        client.addProperty("percent", each.percent());
        clients.add(client);
      }
      one.add("clients", clients);
      shapes.add(one);
    }
    JsonArray indexes = new JsonArray();
    for (IndexUse each : told.indexes()) {
      JsonObject one = new JsonObject();
      one.addProperty("index", each.index());
      one.addProperty("count", each.count());
      one.addProperty("idleSeconds", each.idleSeconds());
      indexes.add(one);
    }
    JsonObject json = new JsonObject();
    json.addProperty("observedSeconds", told.seconds());
    json.addProperty("dropped", told.dropped());
    json.add("findings", FindingsReport.json(told.findings()));
    json.add("shapes", shapes);
    json.addProperty("others", told.others());
    json.add("indexes", indexes);
    return json.toString();
  }

  /** Returns a shape with all its figures. */
  static JsonObject json(Shape shape) {
    JsonObject one = new JsonObject();
    one.addProperty("number", shape.number());
    one.addProperty("scope", shape.scope());
    one.addProperty("baseDepth", shape.baseDepth());
    one.addProperty("filter", shape.filter());
    one.addProperty("attributes", shape.attributes());
    one.addProperty("count", shape.count());
    one.addProperty("micros", shape.micros());
    one.addProperty("longestMicros", shape.longestMicros());
    one.addProperty("read", shape.read());
    one.addProperty("returned", shape.returned());
    one.addProperty("scans", shape.scans());
    one.addProperty("whole", shape.whole());
    one.addProperty("sizeLimits", shape.sizeLimits());
    one.addProperty("timeLimits", shape.timeLimits());
    one.addProperty("lookThroughs", shape.lookThroughs());
    one.addProperty("ageSeconds", shape.ageSeconds());
    one.addProperty("idleSeconds", shape.idleSeconds());
    return one;
  }
}
