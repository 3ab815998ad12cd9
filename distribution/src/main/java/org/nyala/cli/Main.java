package org.nyala.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ExportFile;
import org.nyala.cli.command.HashGauge;
import org.nyala.cli.command.HashTuning;
import org.nyala.cli.command.NyalaCommand;
import org.nyala.cli.running.AccountCommand;
import org.nyala.cli.running.AdviseCommand;
import org.nyala.cli.running.ContentionCommand;
import org.nyala.cli.running.DeleteCommand;
import org.nyala.cli.running.DispatchCommand;
import org.nyala.cli.running.DoctorCommand;
import org.nyala.cli.running.ExplainCommand;
import org.nyala.cli.running.HandoverCommand;
import org.nyala.cli.running.ModifyCommand;
import org.nyala.cli.running.PromoteCommand;
import org.nyala.cli.running.ReadOnlyCommand;
import org.nyala.cli.running.RecordCommand;
import org.nyala.cli.running.ReloadCommand;
import org.nyala.cli.running.SlowCommand;
import org.nyala.cli.running.StatusCommand;
import org.nyala.cli.running.SyncCommand;
import org.nyala.cli.running.TopCommand;
import org.nyala.cli.store.BackupCommand;
import org.nyala.cli.store.ChangesCommand;
import org.nyala.cli.store.CompactCommand;
import org.nyala.cli.store.CompareCommand;
import org.nyala.cli.store.ExportCommand;
import org.nyala.cli.store.ImportCommand;
import org.nyala.cli.store.IndexCommand;
import org.nyala.cli.store.RestoreCommand;
import org.nyala.cli.store.VerifyCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.config.UpdateConfiguration;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.password.PasswordHash;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.error.Version;
import org.nyala.lmdb.env.DamagedStoreException;
import org.nyala.management.jmxport.SerialFilters;
import org.nyala.server.ServerExtensions;
import org.nyala.service.BackgroundServer;
import org.nyala.service.LogStamp;
import org.nyala.service.RunDirectory;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line of {@code bin/nyala}. */
@Command(
    name = "nyala",
    description = "An LDAPv3 directory server.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.VersionLine.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed; one line on standard error gives the reason; or a difference was found (compare)",
      "2:the command line or the configuration is wrong; nothing was done; or failed (compare)",
      "3:no server is running (stop, status, reload, account, sync, promote, handover, top, slow,"
          + " advise, read-only,"
          + " dispatch, contention, record); the JVM has run out of memory (serve, start)",
      "4:a server is already running on the data directory",
      "5:imported, but some entries were rejected (import), or some rules were left out (access)",
      "6:the data directory, the backup (restore) or the list (breached) is not sound, or"
          + " servers differ (sync compare)",
      "7:the server runs, but does not answer (status)",
      "8:the data directory or the folder of the run files cannot be written to (serve, start,"
          + " restart)",
      "9:the changes since a cookie are no longer in the journal (changes)",
      "10:the store failed while it was served, by an error of the disk",
      "11:the server runs, but a copy of another server is not ready (status)",
      "12:the server runs, and reports an alarm (status)",
      "13:there are warnings (doctor)",
      "14:there are faults (doctor)"
    })
public final class Main implements Runnable {
  /** The commands, in the order of the help. */
  private static final List<Class<?>> COMMANDS =
      List.of(
          ServeCommand.class,
          StartCommand.class,
          StopCommand.class,
          RestartCommand.class,
          StatusCommand.class,
          DoctorCommand.class,
          ReloadCommand.class,
          ConfigCommand.class,
          ExtensionsCommand.class,
          ImportCommand.class,
          ExportCommand.class,
          SampleCommand.class,
          VerifyCommand.class,
          BackupCommand.class,
          RestoreCommand.class,
          IndexCommand.class,
          CompactCommand.class,
          ChangesCommand.class,
          CompareCommand.class,
          MigrateCommand.class,
          ExplainCommand.class,
          ModifyCommand.class,
          DeleteCommand.class,
          TopCommand.class,
          SlowCommand.class,
          AdviseCommand.class,
          ReadOnlyCommand.class,
          AccountCommand.class,
          SyncCommand.class,
          PromoteCommand.class,
          HandoverCommand.class,
          DispatchCommand.class,
          ContentionCommand.class,
          RecordCommand.class,
          PasswordCommand.class,
          BreachedCommand.class,
          TlsCommand.class,
          AccessCommand.class,
          CompletionCommand.class);

  @Spec private CommandSpec spec = CommandSpec.create();

  private Main() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    run(() -> commandLine(arguments), arguments);
  }

  /** Runs a command of a program and ends the process with its exit code. */
  public static void run(Supplier<CommandLine> program, String[] arguments) {
    SerialFilters.install();
    // Texts that are stored, parsed or read by programs are the same everywhere.
    Locale.setDefault(Locale.ROOT);
    try {
      System.exit(program.get().execute(arguments));
    } catch (OutOfMemoryError e) {
      System.err.println(
          LogStamp.ofFailure(System.getenv())
              + "not enough memory: set NYALA_JAVA_OPTS=-Xmx4g, for example");
      System.exit(ExitCode.FAILED);
    }
  }

  /** Returns the parser for the whole command line. */
  public static CommandLine commandLine() {
    CommandLine program = commandLine(COMMANDS);
    ForeignCommand.addTo(program, Installation.current().base());
    return program;
  }

  /**
   * Returns the parser for some arguments. If they begin with a command, it knows no other: to read
   * the options of all of them takes longer than most commands.
   */
  static CommandLine commandLine(String[] arguments) {
    String first = arguments.length == 0 ? "" : arguments[0];
    List<Class<?>> one = COMMANDS.stream().filter(each -> first.equals(name(each))).toList();
    return one.isEmpty() || one.contains(CompletionCommand.class)
        ? commandLine()
        : commandLine(one);
  }

  private static String name(Class<?> command) {
    return command.getAnnotation(Command.class).name();
  }

  private static CommandLine commandLine(List<Class<?>> commands) {
    CommandLine program = new CommandLine(new Main());
    commands.forEach(program::addSubcommand);
    return explaining(program);
  }

  /** Makes a command line report failures in one line, and end with the documented exit codes. */
  public static CommandLine explaining(CommandLine program) {
    return program
        .setParameterExceptionHandler(Main::explainUsage)
        .setExecutionExceptionHandler((e, command, parsed) -> explainFailure(e, command));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no command given");
  }

  private static int explainUsage(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(LogStamp.ofFailure(System.getenv()) + sentence(e));
    if (!LogStamp.isLog(System.getenv())) {
      err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    return ExitCode.USAGE;
  }

  private static String sentence(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)
        || unmatched.getUnmatched().isEmpty()
        || unmatched.isUnknownOption()) {
      return ErrorMessages.line(e);
    }
    String word = ErrorMessages.printable(unmatched.getUnmatched().getFirst());
    if (e.getCommandLine().getSubcommands().isEmpty()) {
      return "'" + word + "' is one argument too many";
    }
    List<String> similar = unmatched.getSuggestions();
    return "there is no command '"
        + word
        + (similar.isEmpty() ? "'" : "'; did you mean " + similar.getFirst() + "?");
  }

  private static int explainFailure(Exception e, CommandLine command) {
    command.getErr().println(LogStamp.ofFailure(System.getenv()) + ErrorMessages.explain(e));
    return switch (e) {
      case CommandException failure -> failure.exitCode();
      case ConfigurationException _ -> ExitCode.USAGE;
      case DamagedStoreException _ -> ExitCode.UNSOUND;
      default -> ExitCode.FAILED;
    };
  }

  /** The line that {@code --version} prints. */
  static final class VersionLine implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {Version.program()};
    }
  }

  /** {@code nyala completion}. */
  @Command(
      name = "completion",
      description = {
        "Prints a script that makes bash and zsh complete commands and options.",
        "For this shell:   source <(bin/nyala completion)",
        "For all of bash:  bin/nyala completion > /etc/bash_completion.d/nyala"
      })
  static final class CompletionCommand extends NyalaCommand {
    @Override
    public Integer call() {
      CommandLine root = spec().root().commandLine();
      out().print(AutoComplete.bash(root.getCommandName(), root));
      out().flush();
      return ExitCode.OK;
    }
  }

  /** {@code nyala extensions}. */
  @Command(
      name = "extensions",
      description = {
        "Lists the extensions of the server, in the order in which a request meets them, with the"
            + " version and the file of each.",
        "It shows what a start would load: the jars in the folder extensions, and the"
            + " configuration, are read now. May be run while the server runs."
      })
  static final class ExtensionsCommand extends DataCommand {
    @Override
    public Integer call() throws IOException {
      NyalaConfig configuration = data().configuration();
      ServerExtensions.lines(configuration, configuration.schema(Installation.current()))
          .forEach(out()::println);
      return ExitCode.OK;
    }
  }

  /** {@code nyala restart}. */
  @Command(
      name = "restart",
      description = "Stops the server if one runs, then starts it in the background.")
  static final class RestartCommand extends DataCommand {
    @Mixin private ListenOptions listen = new ListenOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
      // A server that could not be started again is not stopped.
      RunDirectory run = RunDirectory.of(data().configuration());
      if (new BackgroundServer(run).stop(BackgroundServer.STOP_TIMEOUT_SECONDS)) {
        out().println("nyala stopped");
      }
      StartCommand.start(data(), listen, BackgroundServer.START_TIMEOUT_SECONDS, out());
      return ExitCode.OK;
    }
  }

  /** {@code nyala stop}. */
  @Command(
      name = "stop",
      description =
          "Stops the server that runs on the data directory, once its running "
              + "operations are done.")
  static final class StopCommand extends DataCommand {
    @Option(
        names = "--timeout",
        paramLabel = "SECONDS",
        description = "The time to wait for its end. Default: ${DEFAULT-VALUE}.")
    private int timeoutSeconds = BackgroundServer.STOP_TIMEOUT_SECONDS;

    @Override
    public Integer call() throws InterruptedException {
      if (!new BackgroundServer(data().runDirectory()).stop(timeoutSeconds)) {
        out().println(data().notRunning());
        return ExitCode.NOT_RUNNING;
      }
      out().println("nyala stopped");
      return ExitCode.OK;
    }
  }

  /** {@code nyala sample}. */
  @Command(
      name = "sample",
      description = {
        "Writes made-up people as LDIF, for tests and benchmarks.",
        "Person N is uid=user.N,ou=People,dc=example,dc=com with the password password.N, N from 0"
            + " up; the same seed gives the same people."
      })
  static final class SampleCommand extends NyalaCommand {
    @Parameters(
        arity = "0..1",
        paramLabel = "N",
        description = "The number of people, as in 'nyala serve --sample N'.")
    private @Nullable Integer people;

    @Option(names = "--entries", paramLabel = "N", description = "The same.")
    private @Nullable Integer entries;

    @Option(names = "--seed", paramLabel = "S", description = "Default: ${DEFAULT-VALUE}.")
    private long seed = SampleDirectory.DEFAULT_SEED;

    @Option(
        names = {"-o", "--output"},
        paramLabel = "FILE",
        description = "Default: standard output.")
    private @Nullable Path output;

    @Override
    public Integer call() throws IOException {
      if (people != null && entries != null) {
        throw wrongUsage("name the number of people once");
      }
      Integer wanted = people == null ? entries : people;
      if (wanted == null || wanted < 1) {
        throw wrongUsage("--entries: expected a number of people from 1 up");
      }
      try (OutputStream out = ExportFile.openDirectly(output)) {
        new SampleDirectory(wanted, seed).writeTo(out);
      }
      return ExitCode.OK;
    }
  }

  /** {@code nyala password}. */
  @Command(
      name = "password",
      description = {
        "Hashes a password, for root.password in the configuration or for userPassword in an LDIF"
            + " file.",
        "Asks for it twice on a terminal, without echo; otherwise reads one line of "
            + "standard input.",
        "The password is never an argument, because other users can see arguments.",
        "With --tune, measures this machine for some twenty seconds, and proposes the work of new"
            + " hashes as lines for the configuration."
      })
  static final class PasswordCommand extends NyalaCommand {
    private static final int MOST_MILLIS = 60_000;

    @Option(
        names = "--tune",
        description = "Ask for no password, and propose the work of new hashes.")
    private boolean tune;

    @Option(
        names = "--milliseconds",
        paramLabel = "MS",
        description =
            "With --tune: the time that a login may take. Default: 25, unless"
                + " --logins-per-second is given.")
    private @Nullable Integer milliseconds;

    @Option(
        names = "--logins-per-second",
        paramLabel = "N",
        description = "With --tune: the first logins that there should be in a second.")
    private @Nullable Integer loginsPerSecond;

    @Option(
        names = "--hash-threads",
        paramLabel = "N",
        description = "With --tune: dispatch.hashThreads, if the configuration has it.")
    private int hashThreads;

    @Option(
        names = "--scheme",
        paramLabel = "SCHEME",
        description = {
          "ARGON2, PBKDF2-SHA512, PBKDF2-SHA256, BCRYPT, or CRYPT (SHA-512 crypt), which are slow"
              + " by design; SSHA512, SSHA384, SSHA256, or SSHA; SCRAM-SHA-256 or SCRAM-SHA-512,"
              + " for binds by those mechanisms.",
          "Default: ${DEFAULT-VALUE}."
        })
    private String scheme = UpdateSettings.DEFAULT_SCHEME.label();

    @Override
    public Integer call() throws IOException {
      if (tune) {
        tune();
        return ExitCode.OK;
      }
      if (milliseconds != null || loginsPerSecond != null || hashThreads != 0) {
        throw CommandException.usage(
            "--milliseconds, --logins-per-second and --hash-threads are options of --tune");
      }
      if (!UpdateConfiguration.PASSWORD_SCHEMES.contains(scheme)) {
        throw CommandException.usage(
            "--scheme: expected one of "
                + String.join(", ", UpdateConfiguration.PASSWORD_SCHEMES)
                + ", found '"
                + scheme
                + "'");
      }
      byte[] password = PasswordInput.readTwice();
      try {
        if (password.length == 0) {
          throw CommandException.usage("the password is empty");
        }
        byte[] hash =
            PasswordHash.create(UpdateConfiguration.scheme(scheme), password, new SecureRandom());
        out().println(new String(hash, US_ASCII));
        return ExitCode.OK;
      } catch (IllegalArgumentException e) {
        throw CommandException.usage(ErrorMessages.line(e));
      } finally {
        Arrays.fill(password, (byte) 0);
      }
    }

    private void tune() throws IOException {
      int threads = DispatchSettings.hashThreads(Math.max(0, hashThreads));
      Integer millis = milliseconds;
      Integer logins = loginsPerSecond;
      if (millis != null && (millis < 1 || millis > MOST_MILLIS) || logins != null && logins < 1) {
        throw CommandException.usage(
            "expected 1 to 60000 for --milliseconds, and 1 or more for --logins-per-second");
      }
      long byTime =
          TimeUnit.MILLISECONDS.toNanos(
              millis != null ? millis : logins != null ? MOST_MILLIS : 25);
      long byRate =
          logins == null ? byTime : Math.max(1, TimeUnit.SECONDS.toNanos(1) * threads / logins);
      try (HashGauge gauge = HashGauge.start()) {
        new HashTuning(gauge, Math.min(byTime, byRate), threads, gauge.memoryKibibytes())
            .lines()
            .forEach(out()::println);
      }
    }
  }
}
