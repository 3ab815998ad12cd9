package org.nyala.loadtest.compare;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.compare.StrategyResults.Cell;
import org.nyala.loadtest.compare.StrategyResults.Sample;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.format.ReportPage;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.MachineFacts;
import org.nyala.loadtest.result.MachineTime;
import org.nyala.loadtest.result.ProcessCpu;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.LoadTestException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Runs the same loads under one dispatch strategy after the other, which one server changes while
 * it runs: code is compiled and caches are warm for all of them alike. Confined to the thread that
 * runs it.
 */
@Command(
    name = "strategies",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Compares the dispatch strategies of a Nyala server on this machine.",
    footer = "Exit codes: 0 all answers right, 1 failed or wrong answers, 2 wrong usage.")
public final class StrategiesCommand implements Callable<Integer> {
  private static final double SETTLE_SECONDS = 1;

  @Option(
      names = "--nyala",
      paramLabel = "DIR",
      required = true,
      description = "an unpacked Nyala distribution")
  private Path nyalaHome = Path.of(".");

  @Option(names = "--entries", description = "how many people")
  private int entries = 10_000;

  @Option(names = "--rounds", description = "how often everything is repeated")
  private int rounds = 3;

  @Option(names = "--seconds", description = "length of one measurement")
  private double seconds = 4;

  @Option(
      names = "--warmup-seconds",
      description = "time under each strategy before the first round of each regime")
  private double warmupSeconds = 4;

  @Option(
      names = "--strategies",
      split = ",",
      description = "which to compare; all the server offers unless given")
  private List<String> strategies = List.of();

  @Option(names = "--regimes", split = ",", description = "which loads; all unless given")
  private List<String> regimes = List.of();

  @Option(
      names = "--settings",
      description = {
        "settings of dispatch to try, a server for each, such as --settings 'workers = 2'",
        "--settings 'workers = 8, laziness = 16'; the defaults unless given"
      })
  private List<String> settings = List.of("");

  @Option(
      names = "--codecs",
      split = ",",
      description = {
        "decoders of requests to compare, a server for each, such as direct,apache;",
        "the default unless given"
      })
  private List<String> codecs = List.of("");

  @Option(names = "--out", paramLabel = "DIR", description = "where the results go")
  private Path out = Path.of(".");

  @Spec private @Nullable CommandSpec spec;

  private final StrategyResults results = new StrategyResults();

  @Override
  public Integer call() throws IOException, InterruptedException {
    CommandSpec command = Objects.requireNonNull(spec);
    PrintWriter terminal = command.commandLine().getOut();
    Path work = Files.createTempDirectory("nyala-strategies");
    try {
      List<Scenario> wanted = Scenario.of(regimes);
      describeMachine();
      for (String codec : codecs) {
        for (String setting : settings) {
          measure(work, codec, setting, wanted, terminal);
        }
      }
      Files.createDirectories(out);
      Files.writeString(out.resolve("strategies.md"), results.markdown());
      JsonObject json = results.json();
      Files.writeString(out.resolve("strategies.json"), json + "\n");
      Files.writeString(out.resolve("strategies.html"), ReportPage.of(json));
      terminal.println(results.markdown());
      return results.errors() == 0 ? ExitCode.OK : ExitCode.FAILED;
    } catch (LoadTestException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + e.getMessage());
      return ExitCode.FAILED;
    } finally {
      ServerFiles.delete(work);
    }
  }

  private void describeMachine() throws IOException {
    results.fact("people", Integer.toString(entries));
    results.fact("rounds", Integer.toString(rounds));
    results.fact("measured seconds", Double.toString(seconds));
    results.fact("client", "1 event loop, same machine");
    MachineFacts.now().forEach(results::fact);
  }

  private void measure(
      Path work, String codec, String setting, List<Scenario> wanted, PrintWriter terminal)
      throws IOException, InterruptedException, LoadTestException {
    String decoder = codec.isEmpty() ? "" : "codec = " + codec;
    List<String> lines = new ArrayList<>(List.of("password.scheme = BCRYPT"));
    if (!decoder.isEmpty()) {
      lines.add(decoder);
    }
    if (!setting.isEmpty()) {
      lines.add("dispatch { " + setting + " }");
    }
    Path directory = Files.createTempDirectory(work, "server");
    NyalaSetup nyala = new NyalaSetup(nyalaHome, directory, false, lines);
    String name = joined(decoder, setting);
    results.fact(
        ComparisonReport.SETTINGS + (name.isEmpty() ? "" : " (" + name + ")"), nyala.settings());
    Path ldif = directory.resolve("people.ldif");
    nyala.sample(entries, ldif);
    nyala.load(ldif);
    try (ServerProcess server = nyala.start();
        RemoteDispatch dispatch = RemoteDispatch.attach(server.pid())) {
      List<String> compared = strategies.isEmpty() ? dispatch.offered() : strategies;
      for (Scenario regime : wanted) {
        if (regime == Scenario.SLOW_HASHES) {
          SlowPasswords.set(server.address(), Math.min(entries, Scenario.SLOW_PASSWORDS));
        }
        Cell cell = new Cell(regime, joined(decoder, setting));
        for (String strategy : compared) {
          run(dispatch, server, cell, strategy, warmupSeconds);
        }
        for (int round = 1; round <= rounds; round++) {
          for (String strategy : inTurn(compared, round)) {
            Sample sample = run(dispatch, server, cell, strategy, seconds);
            results.add(cell, strategy, sample);
            show(terminal, round, cell, strategy, sample);
          }
        }
      }
    }
  }

  /** Returns two settings, either of which may be empty, as one. */
  private static String joined(String first, String second) {
    return first + (first.isEmpty() || second.isEmpty() ? "" : ", ") + second;
  }

  /**
   * The strategies in the order of a round. Each round begins with another one, since the machine
   * and the code it runs change meanwhile; and every second round goes backwards, since the state
   * that a strategy leaves behind is the start of the next one.
   */
  static List<String> inTurn(List<String> strategies, int round) {
    List<String> turned = new ArrayList<>(strategies);
    Collections.rotate(turned, -round);
    return round % 2 == 0 ? turned.reversed() : turned;
  }

  private Sample run(
      RemoteDispatch dispatch,
      ServerProcess server,
      Cell cell,
      String strategy,
      double measuredSeconds)
      throws IOException, InterruptedException, LoadTestException {
    dispatch.change(strategy);
    MachineTime timeBefore = MachineTime.now();
    long pollsBefore = dispatch.polls();
    ProcessCpu.Split cpuBefore = new ProcessCpu(server.pid()).split();
    List<LoadReport> parts =
        LoadRun.run(cell.regime().settings(server, entries, measuredSeconds, SETTLE_SECONDS));
    ProcessCpu.Split cpuAfter = new ProcessCpu(server.pid()).split();
    double polls = dispatch.polls() - pollsBefore;
    double operations = parts.stream().mapToLong(LoadReport::allOperations).sum();
    return new Sample(
        parts,
        (cpuAfter.userNanos() - cpuBefore.userNanos()) / 1e3 / operations,
        (cpuAfter.kernelNanos() - cpuBefore.kernelNanos()) / 1e3 / operations,
        polls / operations,
        MachineTime.now().stolenSince(timeBefore));
  }

  private static void show(
      PrintWriter terminal, int round, Cell cell, String strategy, Sample sample) {
    LoadReport main = sample.main();
    terminal.printf(
        Locale.ROOT,
        "round %d %-12s %-24s %,9.0f/s, p99 %,8.0f µs, CPU %6.1f µs %s%n",
        round,
        cell.regime().label(),
        strategy,
        main.rate(),
        main.latencyMicros(99),
        sample.cpuMicros(),
        sample.parts().stream().map(LoadReport::errors).toList());
    terminal.flush();
  }
}
