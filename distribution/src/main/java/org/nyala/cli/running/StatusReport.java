package org.nyala.cli.running;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.nyala.core.backend.Csn;
import org.nyala.core.message.OperationType;
import org.nyala.management.Counter;
import org.nyala.management.Counters;
import org.nyala.server.TextTable;
import org.nyala.service.RunDirectory;

/**
 * The report of {@code nyala status} on a running server.
 *
 * <p>Immutable.
 *
 * @param server the process that holds the lock of the data directory
 * @param counters its counters; nothing if it could not write them
 * @param nowMillis the time of day
 * @param nowNanos of the clock of the heartbeat
 * @param patienceMillis the greatest age of the last heartbeat
 */
record StatusReport(
    RunDirectory.Holder server,
    Optional<Counters> counters,
    long nowMillis,
    long nowNanos,
    long patienceMillis) {
  private static final double MEBIBYTE = 1 << 20;
  private static final double MEBIBYTES_OF_GIBIBYTE = 1 << 10;
  private static final List<String> UNITS = List.of("MiB", "GiB", "TiB");
  private static final double MILLIS_PER_SECOND = 1000;
  private static final long DAY_SECONDS = TimeUnit.DAYS.toSeconds(1);

  /**
   * Returns whether the server writes its counters, its event loops run their tasks, and its store
   * can be read.
   */
  boolean isAnswering() {
    return counters.isEmpty()
        || !isSilent(counters.get())
            && !hasStuckLoops(counters.get())
            && !hasFailedStore(counters.get());
  }

  /** Returns whether no copy of another server has been out of date for too long. */
  boolean hasReadyCopies() {
    return counters.map(seen -> seen.get(Counter.COPIES_NOT_READY)).orElse(0L) == 0;
  }

  /** Returns whether an alarm is raised. */
  boolean hasAlarms() {
    return counters.map(seen -> !seen.alarms().isEmpty()).orElse(false);
  }

  private boolean isSilent(Counters seen) {
    return seen.silentMillis(nowNanos) > patienceMillis;
  }

  /** Returns whether an event loop hangs; not known before the first second of serving is over. */
  private static boolean hasStuckLoops(Counters seen) {
    return seen.get(Counter.STATE) == Counters.SERVING
        && !seen.strategy().isEmpty()
        && seen.get(Counter.EVENT_LOOPS_ANSWER) == 0;
  }

  private static boolean hasFailedStore(Counters seen) {
    return seen.get(Counter.STATE) == Counters.SERVING
        && !seen.strategy().isEmpty()
        && seen.get(Counter.STORE_STATE) == Counters.STORE_FAILS;
  }

  /** Returns the report as text, line by line. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(headline());
    lines.addAll(server.listeners());
    counters.ifPresent(seen -> describe(seen, lines));
    return lines;
  }

  private String headline() {
    if (counters.isPresent() && isSilent(counters.get())) {
      return "nyala does not answer, pid "
          + server.pid()
          + ": its last heartbeat was "
          + seconds(counters.get().silentMillis(nowNanos))
          + " ago";
    }
    if (!isAnswering()) {
      return "nyala does not answer, pid "
          + server.pid()
          + (hasStuckLoops(counters.orElseThrow())
              ? ": an event loop has done nothing for a second"
              : ": its store cannot be read");
    }
    return "nyala " + state() + ", pid " + server.pid();
  }

  private String state() {
    long state = counters.map(seen -> seen.get(Counter.STATE)).orElse(0L);
    if (server.isReady() && state != Counters.STOPPING) {
      return "is running";
    }
    return state == Counters.STARTING
        ? "is starting"
        : state == Counters.STOPPING ? "is stopping" : "is starting or stopping";
  }

  private void describe(Counters seen, List<String> lines) {
    lines.add("");
    lines.add("program      " + seen.program());
    lines.add("up           " + age(nowMillis - seen.get(Counter.START_MILLIS)));
    lines.add("heartbeat    " + seconds(seen.silentMillis(nowNanos)) + " ago");
    if (!seen.isWhole()) {
      lines.add("             some of these numbers are older than others");
    }
    if (!seen.strategy().isEmpty()) {
      describeServing(seen, lines);
    }
  }

  private void describeServing(Counters seen, List<String> lines) {
    lines.add("strategy     " + seen.strategy());
    lines.add(
        String.format(
            Locale.ROOT,
            "connections  %d open, %d accepted",
            seen.get(Counter.CONNECTIONS),
            seen.get(Counter.CONNECTIONS_OPENED)));
    lines.add(
        String.format(
            Locale.ROOT,
            "operations   %d running, %d dispatched or waiting, %d refused (busy)",
            seen.get(Counter.OPERATIONS_ACTIVE),
            seen.get(Counter.DISPATCH_IN_FLIGHT),
            seen.get(Counter.OPERATIONS_REFUSED)));
    lines.add(
        String.format(
            Locale.ROOT,
            "changes      %d waiting for the writer, %d refused (busy), %d could not be stored",
            seen.get(Counter.UPDATES_QUEUED),
            seen.get(Counter.UPDATES_REFUSED),
            seen.get(Counter.STORE_FAILURES)));
    if (seen.get(Counter.READ_ONLY) > 0) {
      lines.add("read-only    every change is refused");
    }
    lines.add(store(seen));
    if (seen.get(Counter.STORE_DISK_BYTES) > 0) {
      lines.add(disk(seen));
    }
    lines.add(journal(seen));
    if (seen.get(Counter.COPIES) > 0) {
      lines.add(copies(seen));
    }
    if (seen.get(Counter.EPOCH) > 0 || seen.get(Counter.CONTEXTS_SUPERSEDED) > 0) {
      lines.add(epoch(seen));
    }
    seen.extensions().forEach((name, number) -> lines.add("extension    " + name + ": " + number));
    List<String> alarms = seen.alarms();
    lines.add("alarms       " + (alarms.isEmpty() ? "none" : alarms.getFirst()));
    alarms.stream().skip(1).forEach(alarm -> lines.add("             " + alarm));
    lines.add("");
    TextTable table = new TextTable("operation", "begun", "ended");
    for (OperationType type : OperationType.values()) {
      table.add(
          type.label(),
          Long.toString(seen.get(Counter.started(type))),
          Long.toString(seen.get(Counter.completed(type))));
    }
    lines.addAll(table.lines());
  }

  private String store(Counters seen) {
    long last = seen.get(Counter.STORE_LAST_COMMIT_MILLIS);
    return String.format(
        Locale.ROOT,
        "store        %,d entries, %.1f MiB (limit %s), transaction %d, last commit %s",
        seen.get(Counter.STORE_ENTRIES),
        seen.get(Counter.STORE_USED_BYTES) / MEBIBYTE,
        size(seen.get(Counter.STORE_MAXIMUM_BYTES)),
        seen.get(Counter.STORE_LAST_TRANSACTION),
        last == 0 ? "before the start" : age(nowMillis - last) + " ago");
  }

  /** Formats a bound in the largest unit that leaves at least one of it, as it is configured. */
  private static String size(long bytes) {
    double size = bytes / MEBIBYTE;
    int unit = 0;
    while (unit < UNITS.size() - 1 && size >= MEBIBYTES_OF_GIBIBYTE) {
      size /= MEBIBYTES_OF_GIBIBYTE;
      unit++;
    }
    return String.format(
        Locale.ROOT, size == Math.rint(size) ? "%.0f %s" : "%.1f %s", size, UNITS.get(unit));
  }

  private static String disk(Counters seen) {
    double free = seen.get(Counter.STORE_DISK_FREE_BYTES) / MEBIBYTE;
    double all = seen.get(Counter.STORE_DISK_BYTES) / MEBIBYTE;
    boolean isSmall = free < MEBIBYTES_OF_GIBIBYTE;
    double unit = isSmall ? 1 : MEBIBYTES_OF_GIBIBYTE;
    return String.format(
        Locale.ROOT,
        "disk         %.1f of %.1f %s free",
        free / unit,
        all / unit,
        isSmall ? "MiB" : "GiB");
  }

  private String journal(Counters seen) {
    String newest = newestCsn(seen);
    return newest.isEmpty()
        ? "journal      no changes"
        : String.format(
            Locale.ROOT,
            "journal      %d changes, %.1f MiB, the oldest of %s ago, the newest %s",
            seen.get(Counter.JOURNAL_CHANGES),
            seen.get(Counter.JOURNAL_BYTES) / MEBIBYTE,
            age(nowMillis - seen.get(Counter.JOURNAL_OLDEST_MILLIS)),
            newest);
  }

  private static String copies(Counters seen) {
    long all = seen.get(Counter.COPIES);
    if (seen.get(Counter.COPIES_PROMOTED) == all) {
      return "copies       none is followed: all are promoted (" + all + ")";
    }
    long lag = seen.get(Counter.COPIES_LAG_SECONDS);
    long notReady = seen.get(Counter.COPIES_NOT_READY);
    return String.format(
        Locale.ROOT,
        "copies       %d of %d follow their provider or are promoted, %s%s",
        seen.get(Counter.COPIES_FOLLOWING),
        all,
        lag < 0 ? "not up to date since the start" : "up to date " + lag + " s ago",
        notReady == 0 ? "" : ", " + notReady + " not ready");
  }

  private static String epoch(Counters seen) {
    long superseded = seen.get(Counter.CONTEXTS_SUPERSEDED);
    return String.format(
        Locale.ROOT,
        "epoch        %d%s%s",
        seen.get(Counter.EPOCH),
        seen.get(Counter.EPOCH) == 0 ? "" : ", changed by server " + seen.get(Counter.EPOCH_WRITER),
        superseded == 0 ? "" : "; another server was promoted later, see nyala sync status");
  }

  /** Returns the number of the newest change in the journal; empty if there is none. */
  private static String newestCsn(Counters seen) {
    return seen.get(Counter.JOURNAL_CHANGES) == 0
        ? ""
        : Csn.of(seen.get(Counter.JOURNAL_NEWEST_MICROS), seen.get(Counter.JOURNAL_NEWEST_PARTS))
            .toString();
  }

  private static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.1f s", millis / MILLIS_PER_SECOND);
  }

  /** Formats days, hours, minutes and seconds. */
  private static String age(long millis) {
    long seconds = TimeUnit.MILLISECONDS.toSeconds(Math.max(0, millis));
    String time =
        String.format(
            Locale.ROOT,
            "%d:%02d:%02d",
            seconds % DAY_SECONDS / 3600,
            seconds / 60 % 60,
            seconds % 60);
    return seconds < DAY_SECONDS ? time : seconds / DAY_SECONDS + " d " + time;
  }

  String json() {
    JsonObject json = new JsonObject();
    json.addProperty("running", true);
    json.addProperty("answering", isAnswering());
    json.addProperty("pid", server.pid());
    json.add("listeners", texts(server.listeners()));
    counters.ifPresent(
        seen -> {
          json.addProperty("silentMillis", seen.silentMillis(nowNanos));
          addCounters(json, seen);
        });
    return json.toString();
  }

  /** Returns the JSON object for a directory without a server. */
  static String notRunning(Optional<Counters> left) {
    JsonObject json = new JsonObject();
    json.addProperty("running", false);
    json.addProperty("answering", false);
    left.ifPresent(seen -> addCounters(json, seen));
    return json.toString();
  }

  private static void addCounters(JsonObject json, Counters seen) {
    json.addProperty("program", seen.program());
    json.addProperty("strategy", seen.strategy());
    json.add("alarms", texts(seen.alarms()));
    json.addProperty("whole", seen.isWhole());
    JsonObject numbers = new JsonObject();
    for (Counter counter : Counter.values()) {
      numbers.addProperty(counter.label(), seen.get(counter));
    }
    json.add("counters", numbers);
    JsonObject extensions = new JsonObject();
    seen.extensions().forEach(extensions::addProperty);
    json.add("extensions", extensions);
    json.addProperty("journalNewestCsn", newestCsn(seen));
  }

  private static JsonArray texts(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.forEach(array::add);
    return array;
  }
}
