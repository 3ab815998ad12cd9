package org.nyala.loadtest.compare;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.ReportPage;
import org.nyala.loadtest.result.DiskProbe;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.MachineFacts;
import org.nyala.loadtest.result.MachineTime;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.LoadTestException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * Loads the same people into slapd and Nyala, and runs every job against both, in turn, several
 * times. Confined to the thread that runs it.
 */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Compares Nyala with slapd, where it is installed, on this machine: writes their"
          + " configuration, loads the same people, starts both, runs every job against both in"
          + " turn, and stops them."
    },
    footer =
        "Exit codes: 0 all of Nyala's answers right, 1 failed or wrong answers, 2 wrong usage.")
public final class BenchCommand implements Callable<Integer> {
  /** A measurement that a bench can make in addition to the comparison. */
  enum Addition {
    STRATEGIES,
    JMH;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final List<String> QUICK_STRATEGIES =
      List.of("--rounds=1", "--seconds=2", "--warmup-seconds=1", "--regimes=cheap-16,cheap-128");

  /** A C program needs only its pages read in. */
  private static final double SLAPD_WARM_SECONDS = 2;

  @Option(
      names = "--nyala",
      paramLabel = "DIR",
      description = "an unpacked Nyala distribution; the one that this program is of unless given")
  private @Nullable Path nyalaHome;

  @Option(names = "--entries", description = "how many people")
  private int entries = 100_000;

  @Option(
      names = "--ldif",
      paramLabel = "FILE",
      description = "the people, instead of a fresh sample")
  private @Nullable Path ldif;

  @Option(names = "--rounds", description = "how often everything is repeated")
  private int rounds = 3;

  @Option(names = "--seconds", description = "length of one measurement")
  private double seconds = 3;

  @Option(
      names = "--warmup-seconds",
      description = "time for Nyala's just-in-time compiler before the first round, for each job")
  private double warmupSeconds = 10;

  @Option(names = "--slapd-threads", split = ",", description = "settings of slapd to try")
  private List<Integer> slapdThreads = List.of(2, 4, 8);

  @Option(names = "--no-slapd", description = "measure Nyala only")
  private boolean withoutSlapd;

  @Option(
      names = "--jobs",
      split = ",",
      paramLabel = "JOB",
      description = "what to measure: jobs of this program but jmh; all unless given")
  private List<String> jobs = List.of();

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description = "existing directory on the disk that both servers keep their data on")
  private @Nullable Path workParent;

  @Option(
      names = "--with",
      split = ",",
      paramLabel = "WHAT",
      description = "also compare strategies, run the jmh suites: ${COMPLETION-CANDIDATES}")
  private List<Addition> additions = List.of();

  @Option(
      names = "--quick",
      description =
          "one short round, 20,000 people, slapd with 4 threads, unless other options say"
              + " otherwise")
  private boolean quick;

  @Option(
      names = "--upgrade-hashes",
      description =
          "let logins replace the fast hashes of the people by slow ones, as is the default of a"
              + " server (password.upgradeAtBind)")
  private boolean upgradesHashes;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "where the pages go: comparison.html, .md and .json")
  private Path out = Path.of(".");

  @Option(
      names = "--page",
      paramLabel = "FILE",
      description = {
        "also write the tables into this Markdown page, between its lines " + ResultsPage.BEGIN,
        "and " + ResultsPage.END + ", and the JSON beside it"
      })
  private @Nullable Path page;

  @Spec private @Nullable CommandSpec spec;

  private final Comparison comparison = new Comparison();
  private final ComparisonReport report = new ComparisonReport(comparison);
  private List<ComparisonStep> steps = List.of();
  private final List<ServerProcess> servers = new ArrayList<>();
  private final Supplier<CommandLine> benchmarks;

  /**
   * Makes the command.
   *
   * @param benchmarks makes the command that runs the JMH suites
   */
  public BenchCommand(Supplier<CommandLine> benchmarks) {
    this.benchmarks = benchmarks;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    String own = System.getProperty("nyala.home");
    if (nyalaHome == null && own != null) {
      nyalaHome = Path.of(own);
    }
    CommandSpec command = Objects.requireNonNull(spec);
    if (quick) {
      shorten(command.commandLine().getParseResult());
    }
    PrintWriter terminal = command.commandLine().getOut();
    Path work =
        workParent == null
            ? Files.createTempDirectory("nyala-bench")
            : Files.createTempDirectory(workParent, "nyala-bench");
    try {
      steps = ComparisonStep.of(jobs);
      ResultsPage published = page == null ? null : ResultsPage.open(page);
      compare(work, terminal);
      write(published);
      terminal.println(report.markdown());
      boolean isRight = comparison.isRight(nyalaHome == null ? "" : "nyala");
      return isRight && add(command.commandLine()) ? ExitCode.OK : ExitCode.FAILED;
    } catch (LoadTestException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + e.getMessage());
      return ExitCode.FAILED;
    } finally {
      servers.forEach(ServerProcess::close);
      ServerFiles.delete(work);
    }
  }

  private void write(@Nullable ResultsPage published) throws IOException {
    JsonObject json = report.json();
    Files.createDirectories(out);
    Files.writeString(out.resolve("comparison.md"), report.markdown());
    Files.writeString(out.resolve("comparison.json"), json + "\n");
    Files.writeString(out.resolve("comparison.html"), ReportPage.of(json));
    if (published != null) {
      published.write(report.tables(), json.toString());
    }
  }

  /** Reduces every size that the command line does not set. */
  private void shorten(ParseResult said) {
    entries = said.hasMatchedOption("--entries") || ldif != null ? entries : 20_000;
    rounds = said.hasMatchedOption("--rounds") ? rounds : 1;
    seconds = said.hasMatchedOption("--seconds") ? seconds : 2;
    warmupSeconds = said.hasMatchedOption("--warmup-seconds") ? warmupSeconds : 3;
    slapdThreads = said.hasMatchedOption("--slapd-threads") ? slapdThreads : List.of(4);
  }

  private void compare(Path work, PrintWriter terminal)
      throws IOException, InterruptedException, LoadTestException {
    MachineTime timeBefore = MachineTime.now();
    describeMachine();
    describeDisk(work);
    Path nyalaDirectory = Files.createDirectory(work.resolve("nyala"));
    NyalaSetup nyala =
        nyalaHome == null ? null : new NyalaSetup(nyalaHome, nyalaDirectory, upgradesHashes);
    if (nyala != null) {
      report.fact(ComparisonReport.SETTINGS, nyala.settings());
      report.fact(ComparisonReport.LOGINS, nyala.logins());
    }
    Path people = people(work, nyala);
    SlapdSetup slapd = slapd(work);
    load(people, slapd, nyala);
    if (slapd != null) {
      for (int threads : slapdThreads) {
        servers.add(slapd.start(threads));
      }
    }
    if (nyala != null) {
      servers.add(nyala.start());
    }
    warmUp(terminal);
    for (int round = 1; round <= rounds; round++) {
      runRound(round, terminal);
    }
    describeMemory(nyala);
    report.fact(
        "taken by the host of this virtual machine, % of its processors",
        FigureText.decimal(100 * MachineTime.now().stolenSince(timeBefore), 1));
  }

  private Path people(Path work, @Nullable NyalaSetup nyala)
      throws IOException, InterruptedException, LoadTestException {
    if (ldif != null) {
      return ldif;
    }
    if (nyala == null) {
      throw new LoadTestException("--nyala or --ldif must say where the people come from");
    }
    Path sample = work.resolve("people.ldif");
    nyala.sample(entries, sample);
    return sample;
  }

  /** Runs the additions that are wanted, with the servers of the comparison stopped. */
  private boolean add(CommandLine bench) {
    servers.forEach(ServerProcess::close);
    servers.clear();
    boolean isRight = true;
    for (Addition addition : additions) {
      List<String> arguments = new ArrayList<>();
      if (addition == Addition.STRATEGIES) {
        arguments.addAll(List.of("--nyala", String.valueOf(nyalaHome), "--out", out.toString()));
        arguments.addAll(quick ? QUICK_STRATEGIES : List.of());
      } else {
        arguments.addAll(List.of("--report", out.resolve("jmh").toString()));
        arguments.addAll(quick ? List.of("--short", "--quiet") : List.of());
      }
      CommandLine command =
          addition == Addition.STRATEGIES
              ? new CommandLine(new StrategiesCommand())
              : benchmarks.get();
      command.setOut(bench.getOut()).setErr(bench.getErr());
      isRight &= command.execute(arguments.toArray(String[]::new)) == ExitCode.OK;
    }
    return isRight;
  }

  /** Returns the set-up of slapd; without slapd Nyala is measured alone, and the report says so. */
  private @Nullable SlapdSetup slapd(Path work) throws IOException {
    if (withoutSlapd || !SlapdSetup.isInstalled()) {
      report.fact("slapd", withoutSlapd ? "not wanted" : "not installed");
      return null;
    }
    return new SlapdSetup(Files.createDirectory(work.resolve("slapd")));
  }

  /** Loads the people into both, in turn, once for every round. */
  private void load(Path people, @Nullable SlapdSetup slapd, @Nullable NyalaSetup nyala)
      throws IOException, InterruptedException, LoadTestException {
    List<String> slapdSeconds = new ArrayList<>();
    List<String> nyalaSeconds = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      if (slapd != null) {
        slapdSeconds.add(FigureText.decimal(slapd.load(people), 1));
      }
      if (nyala != null) {
        nyalaSeconds.add(FigureText.decimal(nyala.load(people), 1));
      }
    }
    if (slapd != null) {
      report.fact("slapadd -q, s", String.join(", ", slapdSeconds));
      report.fact("slapd data file, MiB", mebibytes(ServerFiles.bytesOnDisk(slapd.dataFile())));
    }
    if (nyala != null) {
      report.fact("nyala import, s", String.join(", ", nyalaSeconds));
      report.fact("nyala data file, MiB", mebibytes(ServerFiles.bytesOnDisk(nyala.dataFile())));
    }
  }

  private void describeMachine() throws IOException {
    report.fact("people", Integer.toString(entries));
    report.fact("rounds", Integer.toString(rounds));
    report.fact("measured seconds", FigureText.decimal(seconds, 1));
    report.fact("seconds of warm-up for each job of Nyala's", FigureText.decimal(warmupSeconds, 1));
    report.fact("jobs", jobs.isEmpty() ? "all" : String.join(", ", jobs));
    report.fact(
        "threads of slapd",
        slapdThreads.stream().map(String::valueOf).collect(Collectors.joining(", ")));
    report.fact("client", "1 event loop, same machine");
    MachineFacts.now().forEach(report::fact);
  }

  private void describeDisk(Path work) throws IOException {
    DiskProbe probe = DiskProbe.measure(work);
    report.fact("file system", probe.fileSystem());
    report.fact(
        "4 KiB written and fdatasync, µs",
        String.format(
            Locale.ROOT,
            "median %.0f, p99 %.0f of %d",
            probe.medianMicros(),
            probe.p99Micros(),
            DiskProbe.WRITES));
  }

  private void describeMemory(@Nullable NyalaSetup nyala) throws InterruptedException {
    for (ServerProcess server : servers) {
      report.fact(server.name() + " private memory, MiB", mebibytes(server.privateMemoryBytes()));
      if (nyala != null && "nyala".equals(server.name())) {
        report.fact("nyala heap in use, MiB", mebibytes(nyala.heapUsedBytes(server)));
      }
    }
  }

  /** Warms just-in-time compilers and page caches up, once for every job. */
  private void warmUp(PrintWriter terminal) throws LoadTestException, InterruptedException {
    for (ServerProcess server : servers) {
      double duration = "nyala".equals(server.name()) ? warmupSeconds : SLAPD_WARM_SECONDS;
      for (ComparisonStep step : ComparisonStep.warmUps(steps)) {
        List<LoadReport> warm = LoadRun.run(step.settings(server, entries, duration, 0));
        terminal.printf(
            Locale.ROOT,
            "warm-up %s %s errors=%s%n",
            server.name(),
            step.job(),
            warm.getFirst().errors());
        terminal.flush();
      }
    }
  }

  private void runRound(int round, PrintWriter terminal)
      throws LoadTestException, InterruptedException {
    for (ComparisonStep step : steps) {
      if (round == 1 || !step.isOnce()) {
        for (ServerProcess server : Turns.of(servers, round)) {
          run(round, step, server, terminal);
        }
      }
    }
  }

  private void run(int round, ComparisonStep step, ServerProcess server, PrintWriter terminal)
      throws LoadTestException, InterruptedException {
    List<LoadReport> results = LoadRun.run(step.settings(server, entries, seconds, 0.5));
    for (int i = 0; i < results.size(); i++) {
      String job = step.parts().get(i).label();
      LoadReport result = results.get(i);
      comparison.add(server.name(), job, result);
      terminal.printf(
          Locale.ROOT,
          "round %d %-8s %-12s %3d connections: %,9.0f/s, server CPU %6.1f µs, client %6.1f µs"
              + " %s%n",
          round,
          server.name(),
          job,
          result.settings().connections(),
          result.rate(),
          result.serverCpuMicros(),
          result.clientCpuMicros(),
          result.errors());
      terminal.flush();
    }
  }

  private static String mebibytes(long bytes) {
    return bytes < 0 ? "?" : Long.toString(bytes >> 20);
  }
}
