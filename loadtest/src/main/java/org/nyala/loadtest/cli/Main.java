package org.nyala.loadtest.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.agent.AgentCommand;
import org.nyala.loadtest.caching.CachingCommand;
import org.nyala.loadtest.compare.BenchCommand;
import org.nyala.loadtest.compare.ResultsCommand;
import org.nyala.loadtest.compare.StrategiesCommand;
import org.nyala.loadtest.failover.FailoverCommand;
import org.nyala.loadtest.failover.LagCommand;
import org.nyala.loadtest.jmh.JmhCommand;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.JobKind;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The load tester's command line. Immutable. */
@Command(
    name = "nyala-loadtest",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "JOB",
    description = "Measures an LDAP server.",
    footer =
        "Exit codes: 0 all answers right, 1 failed or wrong answers, 2 wrong usage, 3 all"
            + " answers right but the load tester itself was disturbed.")
public final class Main implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  private Main() {}

  /** Runs the command line and ends the process with its exit code. */
  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT);
    CommandLine commandLine = commandLine();
    commandLine.setOut(utf8(FileDescriptor.out)).setErr(utf8(FileDescriptor.err));
    System.exit(commandLine.execute(arguments));
  }

  /** Texts have characters that the encoding of the locale POSIX lacks. */
  private static PrintWriter utf8(FileDescriptor file) {
    return new PrintWriter(new FileOutputStream(file), true, StandardCharsets.UTF_8);
  }

  /** The command line with all its jobs. */
  public static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new Main());
    for (JobKind job : JobKind.values()) {
      if (job == JobKind.MIXED) {
        continue;
      }
      CommandLine command = new CommandLine(new JobCommand(List.of(job)));
      command.getCommandSpec().usageMessage().description(description(job));
      if (job.alias().isEmpty()) {
        commandLine.addSubcommand(job.label(), command);
      } else {
        commandLine.addSubcommand(job.label(), command, job.alias());
      }
    }
    CommandLine mixed = new CommandLine(new JobCommand(List.of(JobKind.SEARCH, JobKind.MODIFY)));
    mixed.getCommandSpec().usageMessage().description(description(JobKind.MIXED));
    commandLine
        .addSubcommand("mixed", mixed)
        .addSubcommand(new BenchCommand(() -> new CommandLine(new JmhCommand())))
        .addSubcommand(new StrategiesCommand())
        .addSubcommand(new ScansCommand())
        .addSubcommand(new ResultsCommand())
        .addSubcommand(PlanCommand.commandLine())
        .addSubcommand(new GenerateCommand())
        .addSubcommand(new CachingCommand())
        .addSubcommand(new FailoverCommand())
        .addSubcommand(new LagCommand())
        .addSubcommand(new AgentCommand(JobCommand::settingsOf))
        .addSubcommand(new JmhCommand());
    return commandLine
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler((e, _) -> explainUsage(e));
  }

  /** Prints the error and a hint to {@code --help} instead of the options, which are many. */
  private static int explainUsage(CommandLine.ParameterException e) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    command.getErr().println("nyala-loadtest: " + sentence(e));
    command.getErr().println("Try '" + name + " --help'.");
    return ExitCode.USAGE;
  }

  private static String sentence(CommandLine.ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)
        || unmatched.getUnmatched().isEmpty()
        || unmatched.isUnknownOption()) {
      return String.valueOf(e.getMessage());
    }
    String word = unmatched.getUnmatched().getFirst();
    if (e.getCommandLine().getSubcommands().isEmpty()) {
      return "'" + word + "' is one argument too many";
    }
    List<String> similar = unmatched.getSuggestions();
    return "there is no job '"
        + word
        + (similar.isEmpty() ? "'" : "'; did you mean " + similar.getFirst() + "?");
  }

  private static String description(JobKind job) {
    return switch (job) {
      case SEARCH -> "Searches people by uid on standing connections.";
      case BASE -> "Reads people's entries on standing connections.";
      case COMPARE -> "Compares the uid of people with its value.";
      case BIND -> "Binds as people on standing connections.";
      case AUTHENTICATE -> "Searches a person on one connection, binds as the DN on another.";
      case CONNECT -> "Connects, binds, searches, unbinds.";
      case TLS_HANDSHAKE ->
          "Connects, completes the handshake of TLS, reads nothing of the root DSE, closes.";
      case IDLE -> "Holds connections and sends nothing; operations are connections held.";
      case SCAN -> "Reads the whole subtree; rates are entries.";
      case FOLLOW ->
          "Keeps copies up to date (RFC 4533, refreshAndPersist). Operations are changes received"
              + " after the refresh. Their times are the lag behind the time in the cookie, so that"
              + " server and load tester must have the same clock.";
      case MODIFY -> "Replaces an attribute of random people.";
      case MODIFY_EACH -> "Replaces an attribute of every person once, and verifies that it did.";
      case ADD -> "Adds entries below the people and leaves them there (--writes).";
      case PASSWORD_MODIFY ->
          "Sets the password of random people to the same one again (RFC 3062).";
      case ADD_DELETE -> "Adds entries below the people and deletes them.";
      case RENAME -> "Renames people and renames them back.";
      case REFRESH -> "Prolongs dynamic entries (RFC 2589).";
      case VLV -> "Moves in sorted lists of the people by windows (virtual list view).";
      case VLV_OPEN -> "Opens a sorted list on a new connection and reads one window.";
      case PAGED -> "Reads the whole subtree page by page; rates are entries.";
      case REPLAY -> "Sends the operations that an access log describes, at its times or faster.";
      case MIXED -> "Searches while other clients modify, or does the jobs of --mix.";
    };
  }

  /** Shows the usage with all jobs if none is named. */
  @Override
  public Integer call() {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    command.usage(command.getErr());
    return ExitCode.USAGE;
  }
}
