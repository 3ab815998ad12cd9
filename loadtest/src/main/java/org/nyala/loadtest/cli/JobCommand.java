package org.nyala.loadtest.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.agent.AgentOptions;
import org.nyala.loadtest.agent.Coordinator;
import org.nyala.loadtest.options.FileFailure;
import org.nyala.loadtest.report.OutputOptions;
import org.nyala.loadtest.report.TestOutput;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.Security;
import org.nyala.loadtest.workload.ServerUrl;
import org.nyala.loadtest.workload.TestDuration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Runs one job against a server. Confined to the thread that runs it. */
@Command(mixinStandardHelpOptions = true, showDefaultValues = true, sortOptions = false)
public final class JobCommand implements Callable<Integer> {
  private static final double DEFAULT_SECONDS = 10;

  /** The fields with the options of one test, which a plan has for all of its tests. */
  private static final List<String> OF_ONE_TEST = List.of("output", "knee", "compared", "agents");

  private final List<JobKind> jobs;

  @Option(
      names = "--url",
      paramLabel = "URL",
      split = ",",
      description =
          "ldap://host:port or ldaps://host:port; of several, with commas or repeated, each in turn"
              + " gets a connection")
  private List<String> urls = List.of();

  @Option(names = "--connections", description = "clients at work at once")
  private int connections = 16;

  @Option(names = "--threads", description = "event loops of the load tester")
  private int threads = 1;

  @Option(
      names = "--seconds",
      description = "length of the measured period (modify-each: until all is done, unless given)")
  private double seconds = DEFAULT_SECONDS;

  @Option(names = "--warmup-seconds", description = "time at work before it")
  private double warmupSeconds = 2;

  @Option(names = "--operations", description = "stop each client after so many; 0: no bound")
  private long operations;

  @Option(names = "--base", paramLabel = "DN", description = "base of searches")
  private String base = People.DEFAULT_BASE;

  @Option(names = "--people", paramLabel = "DN", description = "parent of uid=user.0, uid=user.1 …")
  private String people = People.DEFAULT_PARENT;

  @Option(names = "--users", description = "how many people there are, from uid=user.0 up")
  private int users;

  @Mixin private IdentityOptions identity = new IdentityOptions();

  @Option(
      names = "--modifiers",
      description = "mixed: clients that modify, beside --connections that search")
  private int modifiers = 16;

  @Option(
      names = "--attribute",
      paramLabel = "NAME",
      description = "what modify, modify-each and mixed replace")
  private String attribute = JobOptions.DEFAULT.attribute();

  @Option(
      names = "--sort-key",
      paramLabel = "NAME[:RULE]",
      description = "what vlv and vlv-open sort by")
  private String sortKey = JobOptions.DEFAULT.sortKey();

  @Option(names = "--window", description = "entries that vlv and vlv-open ask for at once")
  private int window = JobOptions.DEFAULT.window();

  @Option(names = "--page-size", description = "entries that paged asks for at once")
  private int pageSize = JobOptions.DEFAULT.pageSize();

  @Option(
      names = {"--server-pid", "--pid"},
      paramLabel = "PID",
      description =
          "process id of the server, to report its CPU time, memory and switches of threads")
  private long pid;

  @Mixin private PatternOptions patterns = new PatternOptions();

  @Mixin private EngineOptions engine = new EngineOptions();

  @Mixin private OutputOptions output = new OutputOptions();

  @Mixin private KneeOptions knee = new KneeOptions();

  @Mixin private CompareOptions compared = new CompareOptions();

  @Mixin private AgentOptions agents = new AgentOptions();

  @Spec private @Nullable CommandSpec spec;

  /**
   * Runs these jobs at the same time; if there are two, the second one has {@code --modifiers}
   * clients.
   */
  JobCommand(List<JobKind> jobs) {
    this.jobs = List.copyOf(jobs);
  }

  /**
   * Returns the tests that a command line describes, and does nothing.
   *
   * @throws IllegalArgumentException if it describes none, with a sentence
   */
  public static List<LoadSettings> settingsOf(List<String> arguments) throws IOException {
    CommandLine program = Main.commandLine().setExpandAtFiles(false);
    try {
      ParseResult parsed = program.parseArgs(arguments.toArray(String[]::new));
      if (parsed.hasSubcommand()
          && parsed.subcommand().commandSpec().userObject() instanceof JobCommand job) {
        require(!job.urls.isEmpty(), "--url must say which server");
        return job.settings(parsed.subcommand().commandSpec(), job.urls, 0);
      }
      throw new IllegalArgumentException("there is no job " + arguments.getFirst());
    } catch (ParameterException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** Returns whether an option of jobs is one that a job of a plan may have. */
  static boolean isOfPlans(CommandSpec job, OptionSpec option) {
    return !isBeforeLoad(option)
        && !"--at-once".equals(option.longestName())
        && !option.usageHelp()
        && !option.versionHelp()
        && OF_ONE_TEST.stream()
            .map(mixin -> java.util.Objects.requireNonNull(job.mixins().get(mixin)))
            .noneMatch(mixin -> mixin.findOption(option.longestName()) != null);
  }

  /** Returns whether an option says what is done before a load. */
  static boolean isBeforeLoad(OptionSpec option) {
    return List.of("--no-trial", "--first-logins", "--writes").contains(option.longestName());
  }

  EngineOptions engine() {
    return engine;
  }

  /** The work that a valid command line asks for. */
  @FunctionalInterface
  private interface Plan {
    /** Does the work and returns the exit code. */
    int run() throws IOException, InterruptedException, LoadTestException;
  }

  @Override
  public Integer call() throws InterruptedException {
    CommandSpec command = java.util.Objects.requireNonNull(spec);
    try {
      return plan(command).run();
    } catch (LoadTestException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + e.getMessage());
    } catch (IOException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + FileFailure.sentence(e));
    }
    return ExitCode.FAILED;
  }

  private Plan plan(CommandSpec command) throws IOException {
    try {
      require(
          urls.isEmpty() == compared.isWanted(), "either --url or --compare must say which server");
      boolean isSingle = !compared.isWanted() && !knee.isWanted() && engine.atOnce().isEmpty();
      // Also reads the conditions, which may be wrong.
      boolean isOfOneTest = output.isOfOneTest();
      require(
          isSingle || !isOfOneTest,
          "--fail-if, --junit and --server-metrics are for one test, not for --compare,"
              + " --find-knee and --at-once");
      require(
          isSingle || !agents.isWanted(),
          "--agents is for one test, not for --compare, --find-knee and --at-once");
      TestOutput results = new TestOutput(command, output);
      if (compared.isWanted()) {
        require(!knee.isWanted(), "--find-knee is for one server, not for --compare");
        List<List<LoadSettings>> servers = servers(command);
        ServersRun comparison = new ServersRun(results, servers, compared.rounds());
        return tried(results, servers.stream().flatMap(List::stream).toList(), comparison::run);
      }
      List<LoadSettings> parts = settings(command, urls, pid);
      if (agents.isWanted()) {
        Coordinator coordinator = agents.coordinator(command, parts);
        return tried(results, parts, new SingleRun(results, parts, coordinator)::run);
      }
      if (!engine.atOnce().isEmpty()) {
        require(!output.isShown(), "--metrics-port does not go with --at-once");
        ScanSeries series = new ScanSeries(parts.getFirst(), command.commandLine().getOut());
        return () -> output.exitCode(series.run(engine.atOnce()), false);
      }
      if (!knee.isWanted()) {
        return tried(results, parts, new SingleRun(results, parts)::run);
      }
      require(parts.size() == 1, "--find-knee is for one job, not for several at once");
      require(
          parts.getFirst().pace().flow().profile().isSteady(),
          "--find-knee looks for a rate, and does not go with --ramp and --steps");
      KneeRun search = new KneeRun(results, parts.getFirst(), knee);
      return tried(results, parts, () -> output.exitCode(search.run(), false));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  /** Puts trial operations before a load. */
  private Plan tried(TestOutput results, List<LoadSettings> parts, Plan load) {
    double firstLogins = engine.firstLoginSeconds();
    return () -> {
      try (results) {
        if (!engine.mayWrite()) {
          WriteGuard.check(parts);
        }
        if (engine.isTried()) {
          results.progress(TrialOperations.of(parts));
        }
        boolean isRight = FirstLogins.before(parts, firstLogins, results);
        int code = load.run();
        return isRight || code != ExitCode.OK ? code : ExitCode.FAILED;
      }
    };
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  private List<List<LoadSettings>> servers(CommandSpec command) throws IOException {
    compared.check();
    List<List<LoadSettings>> servers = new ArrayList<>();
    for (String server : compared.urls()) {
      servers.add(settings(command, List.of(server), compared.pid(servers.size())));
    }
    return servers;
  }

  private List<LoadSettings> settings(CommandSpec command, List<String> servers, long process)
      throws IOException {
    require(
        servers.stream().map(ServerUrl::isEncrypted).distinct().count() == 1,
        "--url must be all ldap:// or all ldaps://, not " + String.join(" and ", servers));
    require(
        servers.size() == 1 || process == 0,
        "--server-pid is for one server, not for several of --url");
    List<InetSocketAddress> others = servers.stream().skip(1).map(ServerUrl::address).toList();
    List<LoadSettings> settings = new ArrayList<>();
    for (JobKind job : engine.jobs(jobs)) {
      int clients = settings.isEmpty() ? connections : modifiers;
      settings.add(settings(command, servers.getFirst(), process, job, clients).alsoOf(others));
    }
    return settings;
  }

  private LoadSettings settings(
      CommandSpec command, String server, long process, JobKind job, int clients)
      throws IOException {
    boolean isOnce = job == JobKind.MODIFY_EACH || job == JobKind.REPLAY;
    Security security = engine.tls().security(server);
    Account account = identity.account(jobs, security, engine.tls().hasCertificate());
    PatternOptions.Subject subject =
        patterns.subject(engine.kinds(List.of(job)), users, base, people, engine.isReplay());
    boolean isCut = command.commandLine().getParseResult().hasMatchedOption("--seconds");
    return new LoadSettings(
        job,
        ServerUrl.address(server),
        clients,
        threads,
        new TestDuration(
            isOnce && !isCut
                ? TestDuration.ENDLESS_SECONDS
                : isCut ? seconds : engine.seconds(seconds),
            isOnce ? 0 : warmupSeconds,
            operations),
        new People(base, people, engine.users(job, users, subject, account, people, attribute)),
        account,
        process,
        engine.options(
            new JobOptions(attribute, sortKey, pageSize, window)
                .with(identity.people(security))
                .with(engine.sync()),
            subject),
        security,
        engine.pace());
  }
}
