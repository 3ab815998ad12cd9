package org.nyala.cli.running;

import static org.nyala.cli.running.TopFigures.duration;
import static org.nyala.cli.running.TopFigures.millis;
import static org.nyala.cli.running.TopFigures.size;
import static org.nyala.cli.running.TopFigures.time;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.nyala.cli.running.TopSample.Row;
import org.nyala.management.bean.ConnectionsMXBean.Connection;
import org.nyala.management.bean.OperationsMXBean.Running;

/**
 * The lists of {@code nyala top}, made of a sample.
 *
 * <p>Immutable.
 *
 * @param sample the figures
 * @param isReversed the last row first
 */
record TopListing(TopSample sample, boolean isReversed) {
  private static final double PERCENT = 100;

  /** Returns a list in the form of a screen. */
  static Listing of(TopScreen form, TopSample sample) {
    TopListing lists = new TopListing(sample, form.isReversed());
    return switch (form.list()) {
      case connections -> lists.connections(form);
      case operations -> lists.operations();
      case phases -> lists.phases();
      case findings -> lists.findings();
      case slow -> lists.slow();
      case locked -> lists.locked();
      case notices -> lists.notices();
      case members -> lists.members();
      case copies -> lists.copies();
      case followers -> lists.followers();
      case store -> lists.store();
      case jobs -> lists.jobs();
      case server -> lists.server();
      case extensions -> lists.extensions();
    };
  }

  /**
   * Makes a list.
   *
   * @param first the word for the row that is shown first; empty if there is none
   * @param last the word for that of the reversed list
   */
  private <T> Listing list(
      String title,
      String first,
      String last,
      String header,
      List<T> all,
      Function<T, String> row) {
    String word = isReversed ? last : first;
    String whole = title + (word.isEmpty() ? "" : ", " + word + " first");
    Listing made = Listing.of(whole, header, all, row);
    return isReversed ? made.reversed() : made;
  }

  private <T> Listing list(String title, String header, List<T> all, Function<T, String> row) {
    return list(title, "", "the last", header, all, row);
  }

  private static String fact(String name, String value) {
    return String.format(Locale.ROOT, "%-22s %s", name, value);
  }

  private static String client(String identity) {
    return identity.isEmpty() ? "anonymous" : identity;
  }

  private Listing connections(TopScreen form) {
    return Listing.of(
        "connections by " + form.order() + (isReversed ? ", the smallest first" : ""),
        String.format(
            Locale.ROOT,
            "%8s %8s %4s %5s %10s %6s %6s  %-22s %s",
            "number",
            "per s",
            "exec",
            "wait",
            "completed",
            "idle",
            "age",
            "client",
            "identity"),
        form.sorted(sample),
        TopListing::connection);
  }

  private static String connection(Row row) {
    Connection each = row.whole();
    return String.format(
        Locale.ROOT,
        "%8d %,8.0f %4d %5d %,10d %6s %6s  %-22s %s",
        each.number(),
        row.perSecond(),
        each.executing(),
        each.pending(),
        each.completed(),
        duration(each.idleSeconds()),
        duration(each.ageSeconds()),
        each.peer(),
        client(each.identity())
            + (each.isReading() ? "" : " (not read from)")
            + (each.isWritable() ? "" : " (does not read)"));
  }

  private Listing operations() {
    return list(
        "running operations",
        "the longest",
        "the shortest",
        String.format(
            Locale.ROOT,
            "%8s %8s %10s  %-10s %s",
            "conn",
            "message",
            "ms",
            "operation",
            "client, request"),
        sample.running(),
        (Running each) ->
            String.format(
                Locale.ROOT,
                "%8d %8d %,10d  %-10s %s",
                each.connection(),
                each.messageId(),
                each.millis(),
                each.operation(),
                client(each.identity()) + ", " + each.request()));
  }

  private Listing phases() {
    LivePart operations = sample.live().part("operations");
    return list(
        "phases of operations in the last " + Math.round(operations.value("windowSeconds")) + " s",
        String.format(
            Locale.ROOT, "%-10s %10s %10s %10s  %s", "phase", "per s", "p50 ms", "p99 ms", "doing"),
        operations.parts("phases"),
        each ->
            String.format(
                Locale.ROOT,
                "%-10s %,10.0f %10s %10s  %s",
                each.text("phase"),
                each.value("perSecond"),
                millis(each.value("medianMicros")),
                millis(each.value("percentile99Micros")),
                each.text("doing")));
  }

  private Listing findings() {
    LivePart live = sample.live();
    return list(
        live.has("findingsSeconds") ? "findings" : "findings; the server is being examined",
        "the heaviest",
        "the lightest",
        String.format(Locale.ROOT, "%-8s %s", "weight", "finding > what to do"),
        live.parts("findings"),
        each ->
            String.format(
                Locale.ROOT,
                "%-8s %s: %s%s",
                each.text("weight"),
                each.text("area"),
                each.text("sentence"),
                each.text("command").isEmpty() ? "" : " > " + each.text("command")));
  }

  private Listing slow() {
    LivePart slow = sample.live().part("slow");
    List<LivePart> rows =
        Stream.concat(slow.parts("requests").stream(), slow.parts("clients").stream()).toList();
    String format = "%-10s %8s %12s %12s  %s";
    return list(
        slow.number("leastMillis") == 0
            ? "slow requests are not counted: log.slowMillis is 0"
            : "slow requests of " + slow.number("leastMillis") + " ms or more, and of each client",
        String.format(
            Locale.ROOT, format, "operation", "count", "longest ms", "total ms", "client, shape"),
        rows,
        each ->
            String.format(
                Locale.ROOT,
                format,
                each.has("operation") ? each.text("operation") : "all",
                each.text("count"),
                each.text("longestMillis"),
                each.text("totalMillis"),
                each.text("client")
                    + (each.text("shape").isEmpty() ? "" : ", " + each.text("shape"))));
  }

  private Listing locked() {
    LivePart accounts = sample.live().part("accounts");
    String title =
        accounts.has("locked")
            ? "locked accounts, of "
                + accounts.number("seconds")
                + " s ago"
                + (accounts.is("more") ? ", there are more" : "")
                + (accounts.is("complete") ? "" : ", there was no time for all")
            : "locked accounts are being looked for";
    return list(title, "account", accounts.texts("locked"), each -> each);
  }

  private Listing notices() {
    return list(
        "notices",
        "the latest",
        "the earliest",
        String.format(Locale.ROOT, "%-19s  %-26s %s", "time", "kind", "notice"),
        sample.live().parts("notices"),
        each ->
            String.format(
                Locale.ROOT,
                "%-19s  %-26s %s",
                time(each.number("timeMillis")),
                each.text("kind") + (each.is("over") ? ", over" : ""),
                each.text("message")));
  }

  private Listing members() {
    LivePart cluster = sample.live().part("cluster");
    return list(
        cluster.has("role") ? "members of the cluster" : "members: this server is in no cluster",
        String.format(Locale.ROOT, "%8s  %s", "behind", "member"),
        cluster.parts("members"),
        each ->
            String.format(
                Locale.ROOT,
                "%8s  %s",
                each.has("lag") ? each.text("lag") : "-",
                each.text("text")));
  }

  private Listing copies() {
    String format = "%8s %-10s %-5s  %s";
    List<String> rows = new ArrayList<>();
    for (LivePart each : sample.live().parts("copies")) {
      long lag = each.number("lagSeconds");
      rows.add(
          String.format(
              Locale.ROOT,
              format,
              lag < 0 ? "-" : duration(lag),
              each.text("phase"),
              each.is("ready") ? "yes" : "no",
              each.text("suffix")
                  + " of "
                  + each.text("provider")
                  + (each.number("guarded") > 0
                      ? ", " + each.number("guarded") + " entries guarded"
                      : "")
                  + (each.text("error").isEmpty() ? "" : ": " + each.text("error"))));
    }
    for (LivePart each : sample.live().parts("epochs")) {
      if (each.number("epoch") > 0 || each.is("superseded")) {
        rows.add(
            String.format(
                Locale.ROOT,
                format,
                "",
                "epoch " + each.text("epoch"),
                "",
                each.text("suffix")
                    + ", changed by server "
                    + each.text("writer")
                    + (each.is("superseded") ? ", another server was promoted" : "")
                    + (each.text("remedy").isEmpty() ? "" : ": " + each.text("remedy"))));
      }
    }
    return list(
        "copies of other servers, and epochs",
        String.format(Locale.ROOT, format, "behind", "phase", "ready", "naming context, provider"),
        rows,
        each -> each);
  }

  private Listing followers() {
    List<LivePart> all = sample.live().parts("followers");
    long count = sample.live().number("followersCount");
    return list(
        "followers, searches that go on" + (count > all.size() ? ", of " + count : ""),
        String.format(Locale.ROOT, "%8s %8s %8s  %s", "conn", "message", "for", "client, request"),
        all,
        each ->
            String.format(
                Locale.ROOT,
                "%8s %8s %8s  %s",
                each.text("connection"),
                each.text("messageId"),
                duration(each.number("seconds")),
                client(each.text("identity")) + ", " + each.text("request")));
  }

  private Listing facts(String title, List<String> facts) {
    return list(title, fact("name", "value"), facts, each -> each);
  }

  private Listing store() {
    LivePart store = sample.live().part("store");
    if (!store.has("entries")) {
      return facts("the store cannot be read", List.of());
    }
    List<String> facts = new ArrayList<>(sizes(store));
    for (LivePart each : store.parts("readers")) {
      facts.add(reader(each));
    }
    store.texts("indexWork").forEach(each -> facts.add(fact("work", each)));
    store.texts("indexes").forEach(each -> facts.add(fact("index", each)));
    return facts("the store, and who reads it", facts);
  }

  private static List<String> sizes(LivePart store) {
    List<String> facts = new ArrayList<>();
    facts.add(fact("entries", String.format(Locale.ROOT, "%,d", store.number("entries"))));
    facts.add(
        fact(
            "size", size(store.number("usedBytes")) + " of " + size(store.number("maximumBytes"))));
    facts.add(
        fact(
            "commits",
            String.format(
                Locale.ROOT,
                "%,d, p50 %s ms, p99 %s ms",
                store.number("commits"),
                millis(store.value("commitMedianMicros")),
                millis(store.value("commitPercentile99Micros")))));
    facts.add(
        fact(
            "changes in a commit",
            String.format(
                Locale.ROOT,
                "%s on average, p99 %s, %,d at most",
                store.has("batchMean") ? store.text("batchMean") : "-",
                store.has("batchPercentile99") ? store.text("batchPercentile99") : "-",
                store.number("largestCommit"))));
    facts.add(
        fact(
            "last commit",
            store.number("lastCommitMillis") > 0
                ? time(store.number("lastCommitMillis"))
                : "before the start"));
    String failure = store.text("lastCommitFailure");
    facts.add(
        fact(
            "failed commits",
            store.text("commitFailures") + (failure.isEmpty() ? "" : ", the last: " + failure)));
    facts.add(
        fact(
            "slots of readers",
            store.text("readerSlots") + " of " + store.text("maximumReaderSlots")));
    return facts;
  }

  private static String reader(LivePart each) {
    return fact(
        "process " + each.text("process"),
        (each.is("own") ? "this server" : each.text("command"))
            + ": "
            + each.text("reads")
            + " reads, "
            + each.text("commits")
            + " commits behind");
  }

  private Listing jobs() {
    String format = "%6s %-14s %-19s  %s";
    return list(
        "jobs",
        "the latest",
        "the earliest",
        String.format(Locale.ROOT, format, "number", "state", "begun", "work, message"),
        sample.live().parts("jobs"),
        each ->
            String.format(
                Locale.ROOT,
                format,
                each.text("number"),
                each.text("state") + progress(each),
                time(each.number("startMillis")),
                each.text("work")
                    + (each.text("message").isEmpty() ? "" : ": " + each.text("message"))));
  }

  private static String progress(LivePart job) {
    long total = job.number("total");
    return total > 0 && job.text("state").equals("running")
        ? String.format(Locale.ROOT, " %.0f %%", PERCENT * job.number("done") / total)
        : "";
  }

  private Listing server() {
    LivePart server = sample.live().part("server");
    LivePart dispatch = sample.live().part("dispatch");
    LivePart connections = sample.live().part("connections");
    List<String> facts = new ArrayList<>();
    facts.add(fact("process", server.text("pid")));
    server.texts("listeners").forEach(each -> facts.add(fact("listens on", each)));
    server.texts("namingContexts").forEach(each -> facts.add(fact("naming context", each)));
    facts.add(fact("read-only", server.is("readOnly") ? "yes" : "no"));
    facts.add(fact("transport", server.text("transport")));
    facts.add(
        fact(
            "strategy",
            dispatch.text("strategy") + ", switched " + dispatch.text("switches") + " times"));
    facts.add(fact("workers", dispatch.text("workers")));
    facts.add(
        fact(
            "changes",
            dispatch.text("waitingChanges")
                + " wait, "
                + dispatch.text("refusedChanges")
                + " refused"));
    facts.add(fact("operations refused", sample.live().part("operations").text("refused")));
    facts.add(fact("malformed requests", sample.live().part("operations").text("malformed")));
    facts.add(fact("connections refused", connections.text("refused")));
    facts.add(fact("connections stalled", connections.text("stalled")));
    return facts("the server, since its start", facts);
  }

  private Listing extensions() {
    List<String> rows = new ArrayList<>();
    for (LivePart extension : sample.live().parts("extensions")) {
      for (LivePart each : extension.parts("state")) {
        rows.add(
            String.format(
                Locale.ROOT,
                "%-14s %-16s %s",
                extension.text("name"),
                each.text("name"),
                each.text("text")));
      }
    }
    return list(
        "states of extensions",
        String.format(Locale.ROOT, "%-14s %-16s %s", "extension", "name", "state"),
        rows,
        each -> each);
  }
}
