package org.nyala.loadtest.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import com.typesafe.config.ConfigValueFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.options.FileFailure;
import org.nyala.loadtest.report.OutputOptions;
import org.nyala.loadtest.report.ReportText;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.report.TestOutput;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.server.ServerFacts;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs the phases of a plan, one after the other. Confined to the thread that runs it. */
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    description =
        "Runs phases with several jobs at once, as a file describes them. Options of jobs on the"
            + " command line go before those of the file.")
final class PlanCommand implements Callable<Integer> {
  private static final double MOST_SCALE = 1e6;
  private static final List<String> PRESETS = List.of("sssd", "keycloak", "mail");

  private final JobCommand options = new JobCommand(List.of(JobKind.SEARCH));

  @Parameters(paramLabel = "FILE", arity = "0..1", description = "the plan (HOCON or JSON)")
  private @Nullable Path file;

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      description = "ask as a program does, instead of by a file: sssd, keycloak or mail")
  private @Nullable String preset;

  @Option(names = "--print", description = "print the plan instead of running it")
  private boolean isPrinted;

  @Option(
      names = {"-c", "--constant"},
      paramLabel = "NAME=VALUE",
      description = "a value of constants, in the place of that of the file")
  private Map<String, String> constants = new LinkedHashMap<>();

  @Option(names = "--scale", paramLabel = "X", description = "so many times the rates of the file")
  private double scale = 1;

  @Mixin private OutputOptions output = new OutputOptions();

  @Spec private @Nullable CommandSpec spec;

  private PlanCommand() {}

  /** The command, with the options of jobs that a plan may have. */
  static CommandLine commandLine() {
    PlanCommand plan = new PlanCommand();
    CommandLine line = new CommandLine(plan);
    CommandSpec job = new CommandLine(plan.options).getCommandSpec();
    for (OptionSpec option : job.options()) {
      boolean isNew =
          List.of(option.names()).stream()
              .allMatch(name -> line.getCommandSpec().findOption(name) == null);
      if (isNew && (JobCommand.isOfPlans(job, option) || JobCommand.isBeforeLoad(option))) {
        line.getCommandSpec().addOption(OptionSpec.builder(option).build());
      }
    }
    return line;
  }

  @Override
  public Integer call() throws InterruptedException {
    CommandSpec command = Objects.requireNonNull(spec);
    try {
      if (isPrinted) {
        command.commandLine().getOut().println(text());
        return ExitCode.OK;
      }
      return run(command);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (LoadTestException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + e.getMessage());
    } catch (IOException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + FileFailure.sentence(e));
    }
    return ExitCode.FAILED;
  }

  private List<PlanReader.Phase> phases(CommandSpec command) throws IOException {
    LoadSettings.require(
        scale > 0 && scale <= MOST_SCALE,
        "--scale",
        "above 0 and at most " + FigureText.count(MOST_SCALE),
        scale);
    Map<String, List<String>> words = new LinkedHashMap<>();
    CommandSpec job = Objects.requireNonNull(command.commandLine()).getCommandSpec();
    for (OptionSpec option : command.commandLine().getParseResult().matchedOptions()) {
      OptionSpec ofJob = jobOption(option);
      if (ofJob != null && job.findOption(ofJob.longestName()) == option) {
        boolean isFlag = option.arity().max() == 0;
        words.put(
            option.longestName(),
            option.originalStringValues().stream()
                .map(value -> isFlag ? option.longestName() : option.longestName() + "=" + value)
                .toList());
      }
    }
    return new PlanReader(name(), words, scale).read(config(text()));
  }

  /** The name of the plan in sentences. */
  private String name() {
    return preset == null ? String.valueOf(file) : "the preset " + preset;
  }

  private String text() throws IOException {
    String wanted = preset;
    Path plan = file;
    if ((wanted == null) == (plan == null)) {
      throw new IllegalArgumentException("either a file with the plan or --preset must be given");
    }
    if (plan != null) {
      return Files.readString(plan);
    }
    LoadSettings.require(
        PRESETS.contains(String.valueOf(wanted)),
        "--preset",
        "one of " + String.join(", ", PRESETS),
        String.valueOf(wanted));
    try (InputStream in = PlanCommand.class.getResourceAsStream(wanted + ".conf")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private @Nullable OptionSpec jobOption(OptionSpec option) {
    CommandSpec job = new CommandLine(new JobCommand(List.of(JobKind.SEARCH))).getCommandSpec();
    OptionSpec found = job.findOption(option.longestName());
    return found != null && JobCommand.isOfPlans(job, found) ? found : null;
  }

  private Config config(String text) {
    String name = name();
    try {
      Config config =
          ConfigFactory.parseString(
              text,
              ConfigParseOptions.defaults()
                  .setSyntax(ConfigSyntax.CONF)
                  .setOriginDescription(name));
      for (Map.Entry<String, String> constant : constants.entrySet()) {
        config =
            config.withValue(
                "constants." + com.typesafe.config.ConfigUtil.quoteString(constant.getKey()),
                ConfigValueFactory.fromAnyRef(constant.getValue(), "--constant"));
      }
      return config.resolve();
    } catch (ConfigException e) {
      throw PlanReader.unreadable(name, e);
    }
  }

  private int run(CommandSpec command) throws IOException, InterruptedException, LoadTestException {
    List<PlanReader.Phase> phases = phases(command);
    try (TestOutput results = new TestOutput(command, output)) {
      EngineOptions engine = options.engine();
      double firstLogins = engine.firstLoginSeconds();
      for (PlanReader.Phase phase : phases) {
        if (!engine.mayWrite()) {
          WriteGuard.check(phase.parts());
        }
        if (engine.isTried()) {
          results.progress(TrialOperations.of(phase.parts()));
        }
      }
      LoadSettings first = phases.getFirst().parts().getFirst();
      if (results.isWritten()) {
        ServerFacts.read(first).lines().forEach(results::fact);
      }
      return run(phases, results, firstLogins);
    }
  }

  private int run(List<PlanReader.Phase> phases, TestOutput results, double firstLogins)
      throws IOException, InterruptedException, LoadTestException {
    boolean isRight = true;
    List<TestOutput.Phase> ended = new ArrayList<>();
    JsonArray documents = new JsonArray();
    for (PlanReader.Phase phase : phases) {
      isRight &= FirstLogins.before(phase.parts(), firstLogins, results);
      results.progress("phase " + phase.name());
      List<LoadReport> reports = results.measure(phase.parts(), LoadListener.NONE);
      results.print(String.format(Locale.ROOT, "== %s%n", phase.name()));
      reports.forEach(report -> results.print(ReportText.of(report)));
      results.print(results.serverFigures());
      ended.add(new TestOutput.Phase(phase.name(), reports, phase.failIf()));
      JsonObject document = ResultJson.document(Map.of(), reports, output.histogram());
      List.of("facts", "kind", "version").forEach(document::remove);
      document.addProperty("name", phase.name());
      documents.add(document);
    }
    JsonObject document = new JsonObject();
    document.addProperty("job", "plan");
    document.addProperty("url", ResultJson.url(phases.getFirst().parts().getFirst()));
    document.addProperty("kind", "plan");
    document.add("facts", ResultJson.texts(results.facts()));
    document.add("phases", documents);
    results.write(document);
    List<LoadReport> all = ended.stream().flatMap(phase -> phase.reports().stream()).toList();
    boolean isPassed = results.passesAll(ended);
    return output.exitCode(
        isRight && isPassed && all.stream().allMatch(report -> report.errorCount() == 0),
        all.stream().anyMatch(LoadReport::isDisturbed));
  }
}
