package org.nyala.cli.running;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.nyala.cli.running.TopSample.Rate;
import org.nyala.management.bean.OperationsMXBean.Times;

/**
 * The lines above the list of {@code nyala top}: figures, and the kinds of operations. A small
 * screen has the most important of them.
 *
 * <p>Stateless.
 */
final class TopFigures {
  /** The lines of kinds that a small screen keeps: the header, and three kinds. */
  private static final int LEAST_OF_KINDS = 4;

  /** The figures that are kept before any kind is. */
  private static final int LEAST_FIGURES = 5;

  private static final int MOST_ALARMS = 3;

  /** The rest of a certificate's validity from which on its line is important. */
  private static final int SOON_DAYS = 30;

  private static final double MEBIBYTE = 1 << 20;
  private static final double STEP = 1 << 10;
  private static final List<String> UNITS = List.of("MiB", "GiB", "TiB");
  private static final double MILLI = 1_000;

  /** The most important. */
  private static final int ALWAYS = 0;

  private static final int IMPORTANT = 1;
  private static final int USEFUL = 2;

  /** The first to be left out. */
  private static final int FURTHER = 3;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  private TopFigures() {}

  /** A line. Immutable. */
  private record Figure(int rank, String text) {}

  /** Returns the lines, as many as there is room for. */
  static List<String> lines(TopSample sample, int room) {
    List<Figure> figures = figures(sample);
    int ofAllKinds = Math.max(1, sample.kinds().size()) + 1;
    List<String> lines = new ArrayList<>();
    if (figures.size() + ofAllKinds + 2 <= room) {
      figures.forEach(each -> lines.add(each.text()));
      lines.add("");
      lines.addAll(kinds(sample, ofAllKinds));
      lines.add("");
      return lines;
    }
    int most = Math.max(Math.min(room, LEAST_FIGURES), room - Math.min(ofAllKinds, LEAST_OF_KINDS));
    lines.addAll(mostImportant(figures, most));
    if (room - lines.size() > 1) {
      lines.addAll(kinds(sample, room - lines.size()));
    }
    return lines;
  }

  private static List<String> mostImportant(List<Figure> figures, int most) {
    return IntStream.range(0, figures.size())
        .boxed()
        .sorted(Comparator.comparingInt(i -> figures.get(i).rank()))
        .limit(most)
        .sorted()
        .map(i -> figures.get(i).text())
        .toList();
  }

  private static List<Figure> figures(TopSample sample) {
    List<Figure> figures = new ArrayList<>();
    figures.add(
        new Figure(
            ALWAYS,
            sample.program()
                + ", up "
                + duration(sample.number("Server.UptimeSeconds"))
                + ", "
                + sample.data()
                + ", "
                + sample.strategy()));
    alarms(sample, figures);
    clients(sample, figures);
    store(sample, figures);
    LivePart live = sample.live();
    certificates(live.part("certificates"), figures);
    accounts(live.part("accounts"), figures);
    cluster(live.part("cluster"), figures);
    copies(live.parts("copies"), figures);
    LivePart server = live.part("server");
    double percent = server.value("processorPercent");
    figures.add(
        new Figure(
            FURTHER,
            String.format(
                Locale.ROOT,
                "processor    %s %% of one of %d; heap %s of %s; for clients %s",
                Double.isNaN(percent) ? "-" : String.format(Locale.ROOT, "%.0f", percent),
                server.number("processors"),
                size(server.number("heapUsedBytes")),
                size(server.number("heapMaximumBytes")),
                size(sample.number("Connections.HeldBytes")))));
    return figures;
  }

  private static void alarms(TopSample sample, List<Figure> figures) {
    List<String> alarms = sample.alarms();
    figures.add(
        new Figure(ALWAYS, "alarms       " + (alarms.isEmpty() ? "none" : alarms.getFirst())));
    alarms.stream()
        .skip(1)
        .limit(MOST_ALARMS - 1)
        .forEach(each -> figures.add(new Figure(USEFUL, "             " + each)));
    if (alarms.size() > MOST_ALARMS) {
      figures.add(
          new Figure(
              USEFUL,
              String.format(
                  Locale.ROOT,
                  "             and %d more: nyala status",
                  alarms.size() - MOST_ALARMS)));
    }
  }

  private static void clients(TopSample sample, List<Figure> figures) {
    LivePart live = sample.live();
    figures.add(
        new Figure(
            ALWAYS,
            String.format(
                Locale.ROOT,
                "connections  %,d open, %,.0f new/s, %,d held up by their clients, %,d followers",
                sample.number("Connections.Current"),
                sample.rate("Connections.Opened"),
                sample.number("Connections.AwaitingClients"),
                live.number("followersCount"))));
    figures.add(
        new Figure(
            ALWAYS,
            String.format(
                Locale.ROOT,
                "operations   %,d running, %,d with a permit or queued, %,.1f refused/s (busy)",
                sample.number("Operations.Active"),
                sample.number("Dispatch.InFlight"),
                sample.rate("Operations.Refused"))));
    LivePart operations = live.part("operations");
    figures.add(
        new Figure(
            IMPORTANT,
            String.format(
                Locale.ROOT,
                "latency ms   p50 %s, p99 %s; p99 of waits: permit %s, thread %s, disk %s",
                millis(operations.value("medianMicros")),
                millis(operations.value("percentile99Micros")),
                wait(operations, "admission"),
                wait(operations, "queue"),
                wait(operations, "commit"))));
    figures.add(
        new Figure(
            FURTHER,
            String.format(
                Locale.ROOT,
                "traffic      %,.2f MiB/s in, %,.2f MiB/s out, %,.0f entries/s",
                sample.rate("Connections.BytesReceived") / MEBIBYTE,
                sample.rate("Connections.BytesSent") / MEBIBYTE,
                sample.rate("Operations.EntriesSent"))));
  }

  private static String wait(LivePart operations, String phase) {
    return operations.parts("phases").stream()
        .filter(each -> each.text("phase").equals(phase))
        .map(each -> millis(each.value("percentile99Micros")))
        .findFirst()
        .orElse("-");
  }

  private static void store(TopSample sample, List<Figure> figures) {
    double commits = sample.rate("Store.Commits");
    figures.add(
        new Figure(
            IMPORTANT,
            String.format(
                Locale.ROOT,
                "commits      %,.0f/s of %.1f changes, %.2f ms each; %,d changes wait",
                commits,
                commits > 0 ? sample.rate("Store.Changes") / commits : 0,
                commits > 0 ? sample.rate("Store.CommitMicros") / commits / MILLI : 0,
                sample.number("Store.WaitingChanges"))));
    figures.add(
        new Figure(
            USEFUL,
            String.format(
                Locale.ROOT,
                "store        %,d entries, %s; %,d reads open, the oldest for %,d s",
                sample.number("Store.Entries"),
                size(sample.number("Store.UsedBytes")),
                sample.number("Store.OpenReads"),
                sample.number("Store.OldestReadSeconds"))));
    LivePart store = sample.live().part("store");
    long free = store.has("diskFreeBytes") ? store.number("diskFreeBytes") : -1;
    figures.add(
        new Figure(
            USEFUL,
            "disk         "
                + (free < 0
                    ? "not known"
                    : size(free) + " free of " + size(store.number("diskBytes")))));
  }

  private static void certificates(LivePart certificates, List<Figure> figures) {
    if (!certificates.has("subject")) {
      return;
    }
    String failure = certificates.text("failure");
    boolean isKnown = certificates.has("days");
    long days = certificates.number("days");
    String end =
        !isKnown
            ? "their end is not known"
            : (days < 0 ? "the first has ended" : "the first ends in " + days + " d")
                + " ("
                + certificates.text("subject")
                + ")";
    boolean isSoon = isKnown && days < SOON_DAYS || !failure.isEmpty();
    figures.add(
        new Figure(
            isSoon ? IMPORTANT : FURTHER,
            "certificates " + end + (failure.isEmpty() ? "" : "; " + failure)));
  }

  private static void accounts(LivePart accounts, List<Figure> figures) {
    int locked = accounts.texts("locked").size();
    figures.add(
        new Figure(
            locked > 0 ? IMPORTANT : FURTHER,
            accounts.has("locked")
                ? String.format(
                    Locale.ROOT,
                    "accounts     %d%s locked; %,d were since the start",
                    locked,
                    accounts.is("more") || !accounts.is("complete") ? " or more" : "",
                    accounts.number("lockedSinceStart"))
                : "accounts     the locked ones are being looked for"));
  }

  private static void cluster(LivePart cluster, List<Figure> figures) {
    if (!cluster.has("role")) {
      return;
    }
    List<LivePart> members = cluster.parts("members");
    long most =
        members.stream()
            .filter(each -> each.has("lag"))
            .mapToLong(each -> each.number("lag"))
            .max()
            .orElse(-1);
    figures.add(
        new Figure(
            IMPORTANT,
            "cluster      "
                + cluster.text("role")
                + " of term "
                + cluster.text("term")
                + ", "
                + members.size()
                + (members.size() == 1 ? " member" : " members")
                + (most < 0
                    ? "; leader: " + cluster.text("leader")
                    : ", the furthest " + most + " entries behind")));
  }

  private static void copies(List<LivePart> copies, List<Figure> figures) {
    if (copies.isEmpty()) {
      return;
    }
    long ready = copies.stream().filter(each -> each.is("ready")).count();
    boolean isKnown = copies.stream().allMatch(each -> each.number("lagSeconds") >= 0);
    long most = copies.stream().mapToLong(each -> each.number("lagSeconds")).max().orElse(0);
    figures.add(
        new Figure(
            IMPORTANT,
            String.format(
                Locale.ROOT,
                "copies       %d of %d ready, %s",
                ready,
                copies.size(),
                isKnown
                    ? "the furthest " + duration(most) + " behind"
                    : "not all were up to date since the start")));
  }

  /** Returns the table of kinds, with the busiest of them if there is no room for all. */
  private static List<String> kinds(TopSample sample, int room) {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%-12s %10s %10s %10s %10s %10s %12s",
            "operation",
            "per s",
            "mean ms",
            "p50 ms",
            "p99 ms",
            "p99.9 ms",
            "since start"));
    List<Rate> busiest =
        sample.kinds().stream()
            .sorted(
                Comparator.comparingDouble(Rate::perSecond)
                    .thenComparingLong(each -> each.whole().completed())
                    .reversed())
            .limit(room - 1L)
            .toList();
    sample.kinds().stream().filter(busiest::contains).forEach(each -> lines.add(kind(each)));
    if (sample.kinds().isEmpty()) {
      lines.add("none");
    }
    return lines;
  }

  private static String kind(Rate each) {
    Times whole = each.whole().whole();
    return String.format(
        Locale.ROOT,
        "%-12s %,10.0f %10.2f %10.2f %10.2f %10.2f %,12d",
        each.whole().operation(),
        each.perSecond(),
        each.meanMicros() / MILLI,
        whole.medianMicros() / MILLI,
        whole.percentile99Micros() / MILLI,
        whole.percentile999Micros() / MILLI,
        each.whole().completed());
  }

  /** Returns microseconds as milliseconds; a dash if they are not known. */
  static String millis(double micros) {
    return Double.isNaN(micros) ? "-" : String.format(Locale.ROOT, "%.2f", micros / MILLI);
  }

  /** Returns a size in the largest unit that leaves at least one of it. */
  static String size(long bytes) {
    double size = bytes / MEBIBYTE;
    int unit = 0;
    while (unit < UNITS.size() - 1 && size >= STEP) {
      size /= STEP;
      unit++;
    }
    return String.format(Locale.ROOT, "%,.1f %s", size, UNITS.get(unit));
  }

  /** Returns a duration in its largest unit. */
  static String duration(long seconds) {
    long minutes = TimeUnit.SECONDS.toMinutes(seconds);
    long hours = TimeUnit.SECONDS.toHours(seconds);
    long days = TimeUnit.SECONDS.toDays(seconds);
    return days > 0
        ? days + "d"
        : hours > 0 ? hours + "h" : minutes > 0 ? minutes + "m" : seconds + "s";
  }

  /** Returns a time of the reader's clock. */
  static String time(long millis) {
    return TIME.format(Instant.ofEpochMilli(millis).atZone(ZoneId.systemDefault()));
  }
}
