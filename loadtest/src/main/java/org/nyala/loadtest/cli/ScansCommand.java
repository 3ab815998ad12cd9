package org.nyala.loadtest.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.ReportPage;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.options.FileFailure;
import org.nyala.loadtest.result.MachineFacts;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.ServerUrl;
import org.nyala.loadtest.workload.TestDuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes the table of 2011: scans of whole directories. Confined to the thread that runs it. */
@Command(
    name = "scans",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Reads all entries of servers that have just been started: a first and a second time, then"
            + " by several clients at once; prints a table in Markdown.",
    footer = "Exit codes: 0 all scans complete, 1 failed or entries missing, 2 wrong usage.")
final class ScansCommand implements Callable<Integer> {
  private static final double BYTES_PER_MEBIBYTE = 1 << 20;

  @Parameters(
      arity = "1..*",
      paramLabel = "NAME=URL[,pid=PID][,data=DIR]",
      description =
          "the servers, one after the other; with the process for its memory and the data folder"
              + " for its size")
  private List<String> servers = List.of();

  @Option(
      names = "--at-once",
      split = ",",
      paramLabel = "N",
      description = "clients at once after the first two scans (default: 1,2,4,8,16)")
  private List<Integer> atOnce = List.of(1, 2, 4, 8, 16);

  @Option(names = "--base", paramLabel = "DN", description = "base of the scans")
  private String base = People.DEFAULT_BASE;

  @Option(
      names = "--entries",
      paramLabel = "N",
      description = "entries that each scan must have; none: as many as the first one")
  private long entries;

  @Option(names = "--threads", description = "event loops of the load tester")
  private int threads = 1;

  @Option(
      names = "--time-out",
      paramLabel = "SECONDS",
      description = "how long a scan may take before it counts as failed (default: an hour)")
  private double timeOut = 3_600;

  @Option(
      names = "--drop-page-cache",
      description =
          "before the first scan of a server, have the system forget its data folder, as if it had"
              + " not been read")
  private boolean dropsPageCache;

  @Option(names = "--json", paramLabel = "FILE", description = "write the results for programs")
  private @Nullable Path json;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description = "write report.html, with charts, and results.json there")
  private @Nullable Path folder;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    CommandSpec command = Objects.requireNonNull(spec);
    List<ServerScans> all = prepared(command);
    try {
      for (ServerScans scans : all) {
        if (dropsPageCache) {
          scans.server().dropPages();
        }
        scans.run(atOnce);
      }
      return report(all, command.commandLine().getOut());
    } catch (LoadTestException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + e.getMessage());
    } catch (IOException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + FileFailure.sentence(e));
    }
    return ExitCode.FAILED;
  }

  private List<ServerScans> prepared(CommandSpec command) {
    List<ServerScans> all = new ArrayList<>();
    try {
      LoadSettings.require(
          atOnce.stream().allMatch(number -> number >= 1),
          "--at-once",
          "a list of numbers of 1 or above",
          atOnce);
      for (String text : servers) {
        ScannedServer server = ScannedServer.parse(text);
        LoadSettings.require(
            !dropsPageCache || server.data() != null,
            "a server for --drop-page-cache",
            "NAME=URL,data=DIR",
            text);
        all.add(new ServerScans(server, settings(server)));
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
    }
    return all;
  }

  private LoadSettings settings(ScannedServer server) {
    return new LoadSettings(
            JobKind.SCAN,
            ServerUrl.address(server.url()),
            1,
            threads,
            TestDuration.of(1, 0),
            new People(base, base, 1),
            Account.ANONYMOUS,
            server.pid(),
            JobOptions.DEFAULT)
        .at(new LoadRate(0, 1, timeOut, LoadRate.CLOSED.intervalSeconds()));
  }

  private int report(List<ServerScans> all, PrintWriter out) throws IOException {
    Map<String, String> facts = MachineFacts.now();
    facts.put(
        "page cache",
        (dropsPageCache ? "" : "not ") + "dropped by this command before first scans");
    out.print(ReportTable.markdown(facts) + "\n");
    out.print(times().markdown(all) + "\n" + memory().markdown(all));
    boolean isRight = all.stream().allMatch(scans -> scans.isComplete(entries));
    if (!isRight) {
      out.println("\nWrong: scans failed, or had not the same number of entries.");
    }
    out.flush();
    write(json(facts, all));
    return isRight ? ExitCode.OK : ExitCode.FAILED;
  }

  private void write(JsonObject results) throws IOException {
    String text = results + System.lineSeparator();
    if (json != null) {
      Files.writeString(json, text);
    }
    if (folder != null) {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("results.json"), text);
      Files.writeString(folder.resolve("report.html"), ReportPage.of(results));
    }
  }

  /** The average times of scans in seconds. */
  private ReportTable<ServerScans> times() {
    ReportTable<ServerScans> table =
        new ReportTable<ServerScans>()
            .column("seconds of a scan", scans -> scans.server().name())
            .column("entries", scans -> FigureText.whole((double) scans.first().entries()))
            .column("first", scans -> seconds(scans.first()))
            .column("second", scans -> seconds(scans.second()));
    for (int i = 0; i < atOnce.size(); i++) {
      int index = i;
      table.column(atOnce.get(i) + " at once", scans -> seconds(scans.atOnce(index)));
    }
    return table;
  }

  private static String seconds(ServerScans.Step step) {
    return FigureText.decimal(step.seconds(), 3);
  }

  /** The sizes in mebibytes. */
  private ReportTable<ServerScans> memory() {
    ReportTable<ServerScans> table =
        new ReportTable<ServerScans>()
            .column("MiB", scans -> scans.server().name())
            .column("data", mebibytes(scans -> scans.server().dataBytes()))
            .column("live heap", mebibytes(ServerScans::liveHeapBytes))
            .column("resident: first", mebibytes(scans -> scans.first().rssBytes()))
            .column("second", mebibytes(scans -> scans.second().rssBytes()));
    for (int i = 0; i < atOnce.size(); i++) {
      int index = i;
      table.column(atOnce.get(i) + " at once", mebibytes(scans -> scans.atOnce(index).rssBytes()));
    }
    return table.column("largest", mebibytes(ServerScans::largestRssBytes));
  }

  private static Function<ServerScans, String> mebibytes(ToLongFunction<ServerScans> bytes) {
    return scans -> {
      long known = bytes.applyAsLong(scans);
      return FigureText.whole(known < 0 ? Double.NaN : known / BYTES_PER_MEBIBYTE);
    };
  }

  private static JsonObject json(Map<String, String> facts, List<ServerScans> all)
      throws IOException {
    JsonObject circumstances = new JsonObject();
    facts.forEach(circumstances::addProperty);
    JsonArray results = new JsonArray();
    for (ServerScans scans : all) {
      results.add(scans.json());
    }
    JsonObject document = new JsonObject();
    document.add("facts", circumstances);
    document.addProperty("kind", "scans");
    document.add("servers", results);
    return document;
  }
}
