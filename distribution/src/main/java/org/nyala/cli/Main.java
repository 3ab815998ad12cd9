package org.nyala.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.nyala.cli.running.AccountCommand;
import org.nyala.cli.running.ContentionCommand;
import org.nyala.cli.running.DeleteCommand;
import org.nyala.cli.running.DispatchCommand;
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
import org.nyala.cli.store.BackupCommand;
import org.nyala.cli.store.ChangesCommand;
import org.nyala.cli.store.CompactCommand;
import org.nyala.cli.store.CompareCommand;
import org.nyala.cli.store.ExportCommand;
import org.nyala.cli.store.ImportCommand;
import org.nyala.cli.store.IndexCommand;
import org.nyala.cli.store.RestoreCommand;
import org.nyala.cli.store.VerifyCommand;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.error.Version;
import org.nyala.lmdb.env.DamagedStoreException;
import org.nyala.management.jmxport.SerialFilters;
import org.nyala.service.LogStamp;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
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
      "3:no server is running (stop, status, reload, account, sync, promote, handover, slow,"
          + " read-only,"
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
      "12:the server runs, and reports an alarm (status)"
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
          SlowCommand.class,
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
}
