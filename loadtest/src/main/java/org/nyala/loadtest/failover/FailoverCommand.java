package org.nyala.loadtest.failover;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.options.FileFailure;
import org.nyala.loadtest.options.ShownWords;
import org.nyala.loadtest.result.MachineFacts;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Tests what is lost when a server fails under load. Confined to the thread that runs it. */
@Command(
    name = "failover",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    subcommands = FailoverCommand.Check.class,
    description =
        "Writes and reads at several servers while one of them fails, then looks for every write"
            + " that was acknowledged.",
    footer =
        "Exit codes: 0 every acknowledged write is there, 1 one is lost or the test failed, 2 wrong"
            + " usage.")
public final class FailoverCommand implements Callable<Integer> {
  private static final double NANOS = 1e9;

  @Mixin private ServerOptions servers = new ServerOptions();

  @Option(
      names = "--fault",
      paramLabel = "FAULT",
      description =
          "what happens to a server; may be repeated. kill:PID@10s, stop:PID@10s+5s (SIGSTOP, later"
              + " SIGCONT), command:SHELL@10s, manual, none. PID may be a file with it")
  private List<String> faults = List.of();

  @Option(names = "--seconds", description = "length of the load")
  private double seconds = 30;

  @Option(
      names = "--settle-seconds",
      description =
          "how long a write is looked for, and copies may take to get the entry; some retry a lost"
              + " connection after ten seconds only")
  private double settleSeconds = 60;

  @Option(names = "--writers", description = "clients that write, from the first URL on")
  private int writers = 4;

  @Option(names = "--readers", description = "clients that read, for each server")
  private int readers = 2;

  @Option(
      names = "--registers",
      description = "entries that all clients write and read; 0: only entries of one writer each")
  private int registers = 8;

  @Option(
      names = "--writes-per-second",
      description = "of each writer; 0: as fast as answers come, which adds many entries")
  private double writeRate = 100;

  @Option(
      names = "--reads-per-second",
      description = "of each reader; 0: as fast as answers come, which makes long histories")
  private double readRate = 200;

  @Option(
      names = "--operations",
      description = "end the load after so many acknowledged writes; 0: no bound")
  private long operations;

  @Mixin private GroundOptions ground = new GroundOptions("ou=failover,dc=example,dc=com");

  @Option(names = "--keep", description = "leave the entries there after the test")
  private boolean keep;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = "write all operations and what was found there, for 'failover check'")
  private @Nullable Path historyFile;

  @Option(
      names = "--history-operations",
      description =
          "end the load after so many operations of both kinds; each takes 30 bytes of memory,"
              + " twice for a moment at the end")
  private long mostOperations = 2_000_000;

  @Option(names = "--seed", description = "seed of what clients do; 0: one of its own")
  private long seed;

  @Option(names = "--quiet", description = "show no progress")
  private boolean quiet;

  @Mixin private Output output = new Output();

  @Spec private @Nullable CommandSpec spec;

  /** The options of reports. Set by picocli, then only read. */
  static final class Output {
    @Option(names = "--list", description = "how many findings of each kind to list")
    private int listed = 20;

    @Option(names = "--json", paramLabel = "FILE", description = "write the results for programs")
    private @Nullable Path json;

    @Option(
        names = "--report",
        paramLabel = "DIR",
        description =
            "write report.html with charts, and results.json, there; the folder is made, files in"
                + " it are overwritten")
    private @Nullable Path folder;

    @Option(
        names = "--fail-if",
        paramLabel = "CONDITION",
        description = "end with exit code 1 if it holds: gap>2s, differing>0; may be repeated")
    private List<String> conditions = List.of();

    /** Throws {@link IllegalArgumentException} if a value is out of range. */
    List<Bound> check() {
      LoadSettings.require(listed >= 0, "--list", "0 or above", listed);
      return conditions.stream().map(Bound::parse).toList();
    }

    /** Prints a report, and returns the exit code. */
    int report(History history, CommandSpec command) throws LoadTestException {
      PrintWriter out = command.commandLine().getOut();
      FailoverReport report = new FailoverReport(history, listed);
      out.print(report.text());
      boolean isRight = report.isRight();
      for (Bound each : check()) {
        String failure = each.failure(report);
        if (!failure.isEmpty()) {
          out.println(failure);
          isRight = false;
        }
      }
      out.flush();
      if (json != null) {
        try {
          Files.writeString(json, report.json() + System.lineSeparator());
        } catch (IOException e) {
          throw unusable("--json", json);
        }
      }
      if (folder != null) {
        try {
          Map<String, String> facts = new LinkedHashMap<>();
          facts.put("command", ShownWords.of(command));
          facts.putAll(MachineFacts.now());
          new FailoverPage(report, facts).write(folder);
          out.println("report: " + folder.resolve("report.html"));
          out.flush();
        } catch (IOException e) {
          throw new LoadTestException("--report: " + FileFailure.sentence(e));
        }
      }
      return isRight ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private static LoadTestException unusable(String option, Path file) {
    return new LoadTestException(
        option + ": expected a file that can be written, found that " + file + " cannot");
  }

  @Override
  public Integer call() throws InterruptedException {
    CommandSpec command = Objects.requireNonNull(spec);
    PrintWriter err = command.commandLine().getErr();
    try {
      FailoverSettings settings = settings(command);
      BufferedReader keys =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      PrintWriter progress = quiet ? new PrintWriter(Writer.nullWriter()) : err;
      progress.println("seed " + settings.seed());
      History history = new FailoverRun(settings, progress, keys).run();
      if (historyFile != null) {
        try {
          history.write(historyFile);
        } catch (IOException e) {
          err.println("nyala-loadtest: " + unusable("--history", historyFile).getMessage());
        }
      }
      return output.report(history, command);
    } catch (LoadTestException e) {
      err.println("nyala-loadtest: " + e.getMessage());
      return ExitCode.FAILED;
    }
  }

  private FailoverSettings settings(CommandSpec command) throws LoadTestException {
    try {
      Tree tree = ground.tree();
      check();
      output.check();
      List<Fault> all =
          faults.stream().filter(text -> !text.equals("none")).map(Fault::parse).toList();
      for (Fault fault : all) {
        LoadSettings.require(
            fault.afterNanos() < seconds * NANOS,
            "--fault",
            "at a time before the end of --seconds " + seconds,
            fault.text());
        if (fault.kind() == Fault.Kind.KILL || fault.kind() == Fault.Kind.STOP) {
          fault.process();
        }
      }
      return new FailoverSettings(
          servers.servers(1),
          tree,
          all,
          seconds,
          settleSeconds,
          writers,
          readers,
          registers,
          pause(writeRate),
          pause(readRate),
          mostOperations,
          operations,
          seed == 0 ? System.nanoTime() : seed,
          keep);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private static long pause(double rate) {
    return rate == 0 ? 0 : (long) (NANOS / rate);
  }

  private void check() {
    range("--seconds", seconds, 0.01, 86_400);
    range("--settle-seconds", settleSeconds, 0, 86_400);
    range("--writers", writers, 1, 32);
    range("--readers", readers, 0, 16);
    range("--registers", registers, 0, 10_000);
    range("--writes-per-second", writeRate, 0, 1e6);
    range("--reads-per-second", readRate, 0, 1e6);
    range("--operations", (double) operations, 0, 1e9);
    range("--history-operations", (double) mostOperations, 1, 5e7);
  }

  private static void range(String option, double value, double least, double most) {
    LoadSettings.require(
        value >= least && value <= most,
        option,
        "from " + trimmed(least) + " to " + trimmed(most),
        trimmed(value));
  }

  private static String trimmed(double value) {
    return org.nyala.loadtest.format.FigureText.trimmed(value);
  }

  /** Checks a history again, without servers. Confined to the thread that runs it. */
  @Command(
      name = "check",
      mixinStandardHelpOptions = true,
      showDefaultValues = true,
      sortOptions = false,
      description = "Checks the history of a test again, without servers.")
  static final class Check implements Callable<Integer> {
    @Option(
        names = "--history",
        paramLabel = "FILE",
        required = true,
        description = "a file of 'failover --history'")
    private Path historyFile = Path.of("");

    @Mixin private Output output = new Output();

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
      CommandSpec command = Objects.requireNonNull(spec);
      try {
        output.check();
        return output.report(History.read(historyFile), command);
      } catch (IllegalArgumentException e) {
        throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
      } catch (IOException _) {
        throw new ParameterException(
            command.commandLine(),
            "--history: expected a file that can be read, found that " + historyFile + " cannot");
      } catch (LoadTestException e) {
        command.commandLine().getErr().println("nyala-loadtest: " + e.getMessage());
        return ExitCode.FAILED;
      }
    }
  }
}
