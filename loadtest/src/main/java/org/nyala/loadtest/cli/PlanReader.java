package org.nyala.loadtest.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.report.OutputOptions;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A reader of plans: phases one after the other, with jobs at once in each, whose keys are the
 * options of jobs. Confined to one thread.
 */
final class PlanReader {
  private static final Set<String> PLAN_KEYS = Set.of("url", "constants", "options", "phases");
  private static final Set<String> PHASE_KEYS = Set.of("name", "options", "fail-if", "jobs");
  private static final Set<String> WHOLE_PHASE = Set.of("seconds", "warmup-seconds");

  private final String file;
  private final Map<String, List<String>> overriding;
  private final double scale;
  private final Map<String, CommandLine> jobs = Main.commandLine().getSubcommands();

  /**
   * Reads plans of a file.
   *
   * @param file its name in sentences
   * @param overriding the words of the options that go before those of the file, by the names of
   *     the options
   * @param scale the factor of all rates
   */
  PlanReader(String file, Map<String, List<String>> overriding, double scale) {
    this.file = file;
    this.overriding = Map.copyOf(overriding);
    this.scale = scale;
  }

  /**
   * A part of a plan. Immutable.
   *
   * @param parts the jobs, which run at once
   * @param failIf the conditions under which each of them fails, beside those of the command line
   */
  record Phase(String name, List<LoadSettings> parts, List<String> failIf) {
    Phase {
      parts = List.copyOf(parts);
      failIf = List.copyOf(failIf);
    }
  }

  /**
   * Reads the phases.
   *
   * @throws IllegalArgumentException if something is wrong, with a sentence that names the place
   */
  List<Phase> read(Config config) throws IOException {
    ConfigObject root = config.root();
    rejectOthers(root, PLAN_KEYS, "a plan has");
    Map<String, List<String>> common = new LinkedHashMap<>();
    ConfigValue url = root.get("url");
    if (url != null) {
      common.put("--url", words("--url", "url", url, false));
    }
    common.putAll(options(root.get("options"), "search"));
    ConfigValue phases = root.get("phases");
    if (phases == null || phases.valueType() != ConfigValueType.LIST) {
      throw wrong(phases, "phases must be a list of phases, each with jobs");
    }
    List<Phase> all = new ArrayList<>();
    for (ConfigValue phase : (ConfigList) phases) {
      all.add(phase(object(phase, "a phase"), "phase " + (all.size() + 1), common));
    }
    if (all.isEmpty()) {
      throw wrong(phases, "phases must be a list of phases, not an empty one");
    }
    return all;
  }

  private Phase phase(ConfigObject phase, String otherwise, Map<String, List<String>> common)
      throws IOException {
    ConfigValue named = phase.get("name");
    String name = named == null ? otherwise : text(named, "name");
    Map<String, List<String>> options = new LinkedHashMap<>(common);
    for (String key : phase.keySet()) {
      if (WHOLE_PHASE.contains(key)) {
        options.put(
            "--" + key, words("--" + key, key, Objects.requireNonNull(phase.get(key)), false));
      } else if (!PHASE_KEYS.contains(key)) {
        throw wrong(
            phase.get(key),
            "a phase has name, seconds, warmup-seconds, options, fail-if and jobs, but no " + key);
      }
    }
    options.putAll(options(phase.get("options"), "search"));
    ConfigValue jobList = phase.get("jobs");
    if (jobList == null
        || jobList.valueType() != ConfigValueType.LIST
        || ((ConfigList) jobList).isEmpty()) {
      throw wrong(
          jobList == null ? phase : jobList,
          name + ": jobs must be a list of jobs, such as {job = search}");
    }
    List<LoadSettings> parts = new ArrayList<>();
    for (ConfigValue job : (ConfigList) jobList) {
      parts.addAll(job(object(job, "a job"), options));
      requireOneLength(parts, name, job);
    }
    ConfigValue failIf = phase.get("fail-if");
    List<String> conditions =
        failIf == null ? List.of() : words("--fail-if", "fail-if", failIf, true);
    try {
      OutputOptions.checkConditions(conditions);
    } catch (IllegalArgumentException e) {
      throw wrong(failIf, String.valueOf(e.getMessage()));
    }
    return new Phase(name, parts, conditions);
  }

  /** Rejects jobs that do not begin and end together, or whose end depends on each other. */
  private void requireOneLength(List<LoadSettings> parts, String phase, ConfigValue job) {
    LoadSettings first = parts.getFirst();
    LoadSettings last = parts.getLast();
    boolean isAlike =
        first.threads() == last.threads()
            && first.extent().seconds() == last.extent().seconds()
            && first.extent().warmupSeconds() == last.extent().warmupSeconds()
            && first.pace().intervalSeconds() == last.pace().intervalSeconds()
            && first.pace().timeOutSeconds() == last.pace().timeOutSeconds();
    if (!isAlike) {
      throw wrong(
          job,
          phase
              + ": all jobs take the same seconds, warmup-seconds, threads, interval and time-out");
    }
    boolean isAlone =
        parts.stream().anyMatch(p -> p.job() == JobKind.MODIFY_EACH || p.job() == JobKind.REPLAY);
    if (isAlone && parts.size() > 1) {
      throw wrong(job, phase + ": modify-each and replay end by themselves, and take no other job");
    }
  }

  private List<LoadSettings> job(ConfigObject job, Map<String, List<String>> common)
      throws IOException {
    ConfigValue kind = job.get("job");
    if (kind == null) {
      throw wrong(job, "a job must have a key job, such as job = search");
    }
    String label = text(kind, "job");
    CommandLine command = jobs.get(label);
    if (command == null || !(command.getCommand() instanceof JobCommand)) {
      throw wrong(kind, "job must be a job such as search or bind, not " + label);
    }
    Map<String, List<String>> options = new LinkedHashMap<>(common);
    options.putAll(options(job.withoutKey("job"), label));
    options.putAll(overriding);
    List<String> words = new ArrayList<>(List.of(label));
    options.values().forEach(words::addAll);
    try {
      return JobCommand.settingsOf(words);
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      ConfigValue place =
          job.entrySet().stream()
              .filter(entry -> message.contains("--" + entry.getKey()))
              .map(Map.Entry::getValue)
              .findFirst()
              .orElse(job);
      throw wrong(place, label + ": " + message);
    }
  }

  /** The words of the options in an object, by the names of the options. */
  private Map<String, List<String>> options(@Nullable ConfigValue value, String label) {
    Map<String, List<String>> options = new LinkedHashMap<>();
    if (value == null) {
      return options;
    }
    CommandLine command = Objects.requireNonNull(jobs.get(label));
    CommandSpec spec = command.getCommandSpec();
    for (Map.Entry<String, ConfigValue> entry : object(value, "options").entrySet()) {
      String name = "--" + entry.getKey();
      OptionSpec option = spec.findOption(name);
      if (option == null || !JobCommand.isOfPlans(spec, option)) {
        throw wrong(entry.getValue(), entry.getKey() + " is no option of jobs in a plan");
      }
      boolean isFlag = option.arity().max() == 0;
      options.put(
          option.longestName(), words(name, entry.getKey(), entry.getValue(), !isFlag, isFlag));
    }
    return options;
  }

  private List<String> words(String option, String key, ConfigValue value, boolean isBare) {
    List<String> words = new ArrayList<>();
    List<ConfigValue> values =
        value instanceof ConfigList list ? new ArrayList<>(list) : List.of(value);
    for (ConfigValue each : values) {
      words.add(isBare ? text(each, key) : option + "=" + text(each, key));
    }
    return words;
  }

  private List<String> words(
      String option, String key, ConfigValue value, boolean hasValue, boolean isFlag) {
    if (isFlag) {
      if (value.valueType() != ConfigValueType.BOOLEAN) {
        throw wrong(value, key + " must be true or false, not " + value.unwrapped());
      }
      return Boolean.TRUE.equals(value.unwrapped()) ? List.of(option) : List.of();
    }
    boolean isScaled = option.equals("--rate") && scale != 1;
    if (isScaled && value.unwrapped() instanceof Number rate) {
      return List.of(option + "=" + rate.doubleValue() * scale);
    }
    return words(option, key, value, !hasValue);
  }

  private String text(ConfigValue value, String key) {
    return switch (value.valueType()) {
      case STRING, NUMBER, BOOLEAN -> String.valueOf(value.unwrapped());
      default -> throw wrong(value, key + " must be a text or a number");
    };
  }

  private ConfigObject object(ConfigValue value, String what) {
    if (value instanceof ConfigObject object) {
      return object;
    }
    throw wrong(value, what + " must be an object in braces, not " + value.unwrapped());
  }

  private void rejectOthers(ConfigObject object, Set<String> keys, String who) {
    for (String key : object.keySet()) {
      if (!keys.contains(key)) {
        throw wrong(object.get(key), who + " url, constants, options and phases, but no " + key);
      }
    }
  }

  private IllegalArgumentException wrong(@Nullable ConfigValue place, String sentence) {
    int line = place == null ? -1 : place.origin().lineNumber();
    return new IllegalArgumentException(
        file + (line < 0 ? "" : ", line " + line) + ": " + sentence);
  }

  /** Returns the sentence about a file that is no HOCON. */
  static IllegalArgumentException unreadable(String file, ConfigException e) {
    String message = String.valueOf(e.getMessage());
    int line = e.origin() == null ? -1 : e.origin().lineNumber();
    int start = message.indexOf(": ", message.lastIndexOf(String.valueOf(line)));
    return new IllegalArgumentException(
        file
            + (line < 0 ? "" : ", line " + line)
            + ": "
            + (line < 0 || start < 0 ? message : message.substring(start + 2)),
        e);
  }
}
