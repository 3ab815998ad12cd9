package org.nyala.cli.running;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.core.contention.Counts;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.ContentionMXBean;
import org.nyala.management.bean.ContentionMXBean.Measurement;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.LockWaits;
import org.nyala.management.bean.Recording;
import org.nyala.server.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code nyala contention}. */
@Command(
    name = "contention",
    description = {
      "Measures for some seconds where operations delay each other in the server of "
          + "the data directory, and prints two tables.",
      "",
      "Locks: 'count' is the number of acquisitions of a lock; 'contended' the number of "
          + "these that had to wait; 'contended ms' the time that they waited. 'total ms' is the "
          + "time that the lock was held; 'average ms' the time per acquisition. "
          + "The server's own important locks have counters ('counter'). At all others the JVM's "
          + "flight recorder records waits ('jfr lock', 'jfr monitor'), but not acquisitions "
          + "without one ('-').",
      "Waits: how many operations waited in a queue or for a permit before they ran, "
          + "and how long. Also how often a sleeping thread was signalled, and how often a thread "
          + "slept because there was no work.",
      "",
      "Threads that wait for work delay no operation and are left out. The server "
          + "runs a little slower during a measurement; only one can run at a time. If the "
          + "command is ended early (Ctrl-C), the measurement still ends by itself.",
      "Must be run as the server's user, or with --jmx as the user of management.jmxAdmin."
    })
public final class ContentionCommand extends DataCommand {
  private static final int MOST_ROWS = 1000;

  @Mixin private DurationOptions duration = new DurationOptions(10);

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "Maximum rows of each table, 1 to 1000 (default ${DEFAULT-VALUE}).")
  private int top = 10;

  @Option(names = "--json", description = "Print one JSON object; the manual names its members.")
  private boolean json;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    int seconds = duration.seconds();
    requireRange(spec(), "--top", top, 1, MOST_ROWS);
    ContentionReport report;
    try (LocalManagement server = remote.connect().orElseGet(this::connect)) {
      report = measure(server, seconds);
    }
    print(json, report::json, report::lines);
    return ExitCode.OK;
  }

  private ContentionReport measure(LocalManagement server, int seconds)
      throws IOException, InterruptedException {
    ContentionMXBean contention = idle(server);
    // The recorder takes a moment to start, which must not be part of the measurement.
    try (Recording recording = begin(server, seconds)) {
      Measurement measurement = contention.stop(waitFor(contention, seconds));
      return report(measurement, recording);
    }
  }

  private static Recording begin(LocalManagement server, int seconds) throws IOException {
    try {
      return server.recordLocks(seconds);
    } catch (IllegalStateException e) {
      throw CommandException.failed(ErrorMessages.line(e));
    }
  }

  private static ContentionMXBean idle(LocalManagement server) {
    ContentionMXBean contention = server.contention();
    if (contention.isMeasuring()) {
      throw refusal();
    }
    return contention;
  }

  /** Waits until a measurement is over; returns its number. */
  private long waitFor(ContentionMXBean contention, int seconds) throws InterruptedException {
    long number;
    try {
      number = contention.start(seconds);
    } catch (IllegalStateException e) {
      throw refusal();
    }
    duration.await();
    return number;
  }

  private static CommandException refusal() {
    return CommandException.failed(
        "another measurement of this server's contention is running: try again when "
            + "it is over");
  }

  private ContentionReport report(Measurement measurement, Recording recording) throws IOException {
    Path file = Files.createTempFile("nyala-contention-", ".jfr");
    try {
      boolean complete = recording.save(file);
      Instant from = Instant.ofEpochMilli(measurement.startMillis());
      Instant until = from.plusNanos(measurement.counts().nanos());
      List<LockWaits.Wait> waits = LockWaits.read(file, from, until);
      return new ContentionReport(measurement, waits, complete, top);
    } finally {
      Files.delete(file);
    }
  }

  /**
   * The measurement of {@code nyala contention}: the server's own counters and a flight recording,
   * as two tables or as JSON.
   *
   * <p>Immutable.
   *
   * @param measurement the server's counters
   * @param recorded the waits that the flight recorder saw at locks without a counter
   * @param complete whether the recording is complete
   * @param top maximum rows of each table
   */
  record ContentionReport(
      Measurement measurement, List<LockWaits.Wait> recorded, boolean complete, int top) {
    private static final String NOT_KNOWN = "-";
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int MILLI_PLACES = 3;

    /** Places down to the nanosecond: a lock is held for less than a microsecond. */
    private static final int NANO_PLACES = 6;

    ContentionReport {
      recorded = List.copyOf(recorded);
    }

    /**
     * A row of the first table.
     *
     * @param acquisitions null if acquisitions without a wait are not counted
     * @param heldNanos null likewise
     */
    private record LockRow(
        String site,
        String source,
        @Nullable Long acquisitions,
        long contended,
        long contendedNanos,
        @Nullable Long heldNanos) {
      @Nullable Double averageMillis() {
        return acquisitions == null || heldNanos == null || acquisitions == 0
            ? null
            : heldNanos / NANOS_PER_MILLI / acquisitions;
      }
    }

    private List<LockRow> locks() {
      List<LockRow> rows = new ArrayList<>();
      for (Counts.Lock lock : measurement.counts().locks()) {
        rows.add(
            new LockRow(
                lock.site(),
                "counter",
                lock.acquisitions(),
                lock.contended(),
                lock.contendedNanos(),
                lock.heldNanos()));
      }
      for (LockWaits.Wait wait : recorded) {
        String source = "jfr " + wait.kind().name().toLowerCase(Locale.ROOT);
        rows.add(new LockRow(wait.site(), source, null, wait.waits(), wait.nanos(), null));
      }
      rows.sort(
          Comparator.comparingLong(LockRow::contended)
              .thenComparingLong(LockRow::contendedNanos)
              .reversed()
              .thenComparing(LockRow::site));
      return rows;
    }

    private List<Counts.Wait> waits() {
      return measurement.counts().waits().stream()
          .sorted(
              Comparator.comparingLong(Counts.Wait::waitNanos)
                  .reversed()
                  .thenComparing(Counts.Wait::site))
          .toList();
    }

    /** Returns the tables as text, line by line. */
    List<String> lines() {
      List<String> lines = new ArrayList<>();
      List<LockRow> locks = locks();
      List<Counts.Wait> waits = waits();
      lines.add("strategy    " + String.join(", then ", measurement.strategies()));
      lines.add(
          String.format(
              Locale.ROOT,
              "measured    %.1f s, processors %d, operations %d",
              seconds(),
              measurement.processors(),
              measurement.operations()));
      lines.add("");
      lines.add("Locks by number of waits" + shown(locks.size()));
      lines.addAll(lockTable(locks).lines());
      lines.add("");
      lines.add("Waits in queues and for permits, by time" + shown(waits.size()));
      lines.addAll(waitTable(waits).lines());
      if (!complete) {
        lines.add("");
        lines.add(
            "The flight recording grew too large and lacks its beginning: use fewer --seconds.");
      }
      return lines;
    }

    private String shown(int rows) {
      return rows > top ? String.format(Locale.ROOT, " (%d of %d)", top, rows) : "";
    }

    private TextTable lockTable(List<LockRow> rows) {
      TextTable table =
          new TextTable(
              "site", "source", "count", "contended", "contended ms", "total ms", "average ms");
      for (LockRow row : rows.subList(0, Math.min(top, rows.size()))) {
        table.add(
            row.site(),
            row.source(),
            row.acquisitions() == null ? NOT_KNOWN : row.acquisitions().toString(),
            Long.toString(row.contended()),
            millis(row.contendedNanos()),
            row.heldNanos() == null ? NOT_KNOWN : millis(row.heldNanos()),
            row.averageMillis() == null ? NOT_KNOWN : average(row.averageMillis()));
      }
      return table;
    }

    private TextTable waitTable(List<Counts.Wait> rows) {
      TextTable table =
          new TextTable(
              "site", "waits", "signals", "sleeps", "total ms", "average ms", "longest ms");
      for (Counts.Wait row : rows.subList(0, Math.min(top, rows.size()))) {
        table.add(
            row.site(),
            Long.toString(row.waits()),
            Long.toString(row.signals()),
            Long.toString(row.sleeps()),
            millis(row.waitNanos()),
            row.waits() == 0 ? NOT_KNOWN : average(averageMillis(row)),
            millis(row.longestNanos()));
      }
      return table;
    }

    private static double averageMillis(Counts.Wait row) {
      return row.waitNanos() / NANOS_PER_MILLI / row.waits();
    }

    private static String millis(long nanos) {
      return text(nanos / NANOS_PER_MILLI);
    }

    private static String text(double millis) {
      return String.format(Locale.ROOT, "%.3f", millis);
    }

    /**
     * Formats an average with places down to the nanosecond: a lock is held for less than a
     * microsecond.
     */
    private static String average(double millis) {
      return String.format(Locale.ROOT, "%.6f", millis);
    }

    private double seconds() {
      return measurement.counts().nanos() / NANOS_PER_SECOND;
    }

    /** Returns one JSON object; the manual describes its members. */
    String json() {
      List<LockRow> locks = locks();
      List<Counts.Wait> waits = waits();
      JsonObject json = new JsonObject();
      JsonArray strategies = new JsonArray();
      measurement.strategies().forEach(strategies::add);
      json.add("strategies", strategies);
      json.add("seconds", number(seconds(), MILLI_PLACES));
      json.addProperty("processors", measurement.processors());
      json.addProperty("operations", measurement.operations());
      json.addProperty("complete", complete);
      json.addProperty("lockSites", locks.size());
      JsonArray lockRows = new JsonArray();
      locks.stream().limit(top).forEach(row -> lockRows.add(json(row)));
      json.add("locks", lockRows);
      json.addProperty("waitSites", waits.size());
      JsonArray waitRows = new JsonArray();
      waits.stream().limit(top).forEach(row -> waitRows.add(json(row)));
      json.add("waits", waitRows);
      return json.toString();
    }

    private static JsonObject json(LockRow row) {
      JsonObject json = new JsonObject();
      json.addProperty("site", row.site());
      json.addProperty("source", row.source());
      json.addProperty("count", row.acquisitions());
      json.addProperty("contended", row.contended());
      json.add("contendedMillis", jsonMillis(row.contendedNanos()));
      json.add(
          "totalMillis", row.heldNanos() == null ? JsonNull.INSTANCE : jsonMillis(row.heldNanos()));
      json.add(
          "averageMillis",
          row.averageMillis() == null
              ? JsonNull.INSTANCE
              : number(row.averageMillis(), NANO_PLACES));
      return json;
    }

    private static JsonObject json(Counts.Wait row) {
      JsonObject json = new JsonObject();
      json.addProperty("site", row.site());
      json.addProperty("waits", row.waits());
      json.addProperty("signals", row.signals());
      json.addProperty("sleeps", row.sleeps());
      json.add("totalMillis", jsonMillis(row.waitNanos()));
      json.add(
          "averageMillis",
          row.waits() == 0 ? JsonNull.INSTANCE : number(averageMillis(row), NANO_PLACES));
      json.add("longestMillis", jsonMillis(row.longestNanos()));
      return json;
    }

    private static JsonElement jsonMillis(long nanos) {
      return number(nanos / NANOS_PER_MILLI, MILLI_PLACES);
    }

    /** Returns a number with some decimal places; null if it is not finite. */
    private static JsonElement number(double value, int places) {
      return Double.isFinite(value)
          ? new JsonPrimitive(BigDecimal.valueOf(value).setScale(places, RoundingMode.HALF_UP))
          : JsonNull.INSTANCE;
    }
  }
}
