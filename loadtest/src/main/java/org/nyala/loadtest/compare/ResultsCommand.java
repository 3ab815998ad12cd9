package org.nyala.loadtest.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.compare.SavedResult.SavedFigure;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.format.Spread;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.LoadSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Compares results that earlier tests have written, without any server. Confined to the thread that
 * runs it.
 */
@Command(
    name = "compare-results",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    description =
        "Compares saved results (--json, results.json) with a baseline. Files joined by commas are"
            + " repetitions of one test.",
    footer =
        "Exit codes: 0 no condition holds; 1 one holds, or a result has errors; 2 wrong usage, or"
            + " results of different tests; 3 a load tester was disturbed.")
public final class ResultsCommand implements Callable<Integer> {
  private static final String FEW =
      "Warning: fewer than five intervals or repetitions. The intervals of 95 % say little.";
  private static final String ONE_TEST =
      "Each side is one test: the intervals of 95 % are from its parts, and do not have what"
          + " differs from test to test. Repeat tests, and join their files by commas.";

  @Parameters(
      paramLabel = "FILE[,FILE...]",
      arity = "1..*",
      description = "results; without --baseline the first are the baseline")
  private List<String> files = List.of();

  @Option(
      names = "--baseline",
      paramLabel = "FILE[,FILE...]",
      description = "the results that all others are compared with")
  private @Nullable String baseline;

  @Option(
      names = "--fail-if",
      paramLabel = "CONDITION",
      description =
          "end with exit code 1 if a ratio to the baseline is beyond a bound: rate<0.95, p99>1.2;"
              + " may be repeated")
  private List<String> conditions = List.of();

  @Option(
      names = "--surely",
      description = "count only conditions that hold for the whole interval of 95 %%")
  private boolean isSure;

  @Option(names = "--json", paramLabel = "FILE", description = "write the comparison for programs")
  private @Nullable Path json;

  @Option(
      names = "--allow-disturbed",
      description = "end with exit code 0 although a load tester was disturbed")
  private boolean allowsDisturbed;

  @Spec private @Nullable CommandSpec spec;

  /** Results of the same test, once or several times. Immutable. */
  private record Subject(String name, List<SavedResult> results) {
    SavedResult first() {
      return results.getFirst();
    }

    /** A figure of each repetition; if there is one, of each of its intervals. */
    double[] figures(int job, SavedFigure figure, boolean isOfIntervals) {
      return isOfIntervals
          ? first().jobs().get(job).intervals(figure)
          : results.stream().mapToDouble(each -> each.jobs().get(job).whole(figure)).toArray();
    }
  }

  /** A figure of a job of two subjects. Immutable. */
  private record Row(
      String subject,
      String job,
      SavedFigure figure,
      double before,
      double after,
      RatioInterval ratio) {}

  @Override
  public Integer call() throws IOException {
    CommandSpec command = Objects.requireNonNull(spec);
    PrintWriter out = command.commandLine().getOut();
    try {
      List<RatioCondition> bounds = conditions.stream().map(RatioCondition::parse).toList();
      List<Subject> subjects = subjects();
      List<Row> rows = new ArrayList<>();
      boolean areIntervals = subjects.stream().allMatch(each -> each.results().size() == 1);
      subjects.stream()
          .skip(1)
          .forEach(each -> rows.addAll(rows(subjects.getFirst(), each, areIntervals)));
      out.print(table().text(rows));
      notes(subjects, rows, areIntervals).forEach(out::println);
      List<String> failures = failures(bounds, rows);
      failures.forEach(out::println);
      Path file = json;
      if (file != null) {
        Files.writeString(file, json(rows, failures) + System.lineSeparator());
      }
      return exitCode(subjects, failures);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (NoSuchFileException e) {
      command.commandLine().getErr().println("nyala-loadtest: there is no file " + e.getFile());
      return ExitCode.FAILED;
    } catch (IOException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + e.getMessage());
      return ExitCode.FAILED;
    }
  }

  /** Reads all results, the baseline first. */
  private List<Subject> subjects() throws IOException {
    List<String> all = new ArrayList<>(files);
    String first = baseline;
    if (first != null) {
      all.addFirst(first);
    }
    LoadSettings.require(all.size() >= 2, "FILE", "two results, or one and --baseline", all);
    List<Subject> subjects = new ArrayList<>();
    for (String names : all) {
      List<SavedResult> results = new ArrayList<>();
      for (String name : names.split(",", -1)) {
        LoadSettings.require(!name.isBlank(), "FILE", "names of files between commas", names);
        results.add(SavedResult.read(Path.of(name)));
      }
      subjects.add(new Subject(names, List.copyOf(results)));
    }
    SavedResult reference = subjects.getFirst().first();
    for (Subject subject : subjects) {
      for (SavedResult result : subject.results()) {
        Optional<String> difference = reference.difference(result);
        if (difference.isPresent()) {
          throw new IllegalArgumentException(difference.get());
        }
      }
    }
    return List.copyOf(subjects);
  }

  private static List<Row> rows(Subject baseline, Subject subject, boolean areIntervals) {
    List<Row> rows = new ArrayList<>();
    for (int job = 0; job < baseline.first().jobs().size(); job++) {
      for (SavedFigure figure : SavedFigure.values()) {
        double[] before = baseline.figures(job, figure, areIntervals);
        double[] after = subject.figures(job, figure, areIntervals);
        rows.add(
            new Row(
                subject.name(),
                baseline.first().jobs().get(job).label(),
                figure,
                median(before),
                median(after),
                RatioInterval.ofSeries(after, before, areIntervals)));
      }
    }
    return rows;
  }

  private static double median(double[] figures) {
    return Spread.of(Arrays.stream(figures).filter(Double::isFinite).toArray()).median();
  }

  private static ReportTable<Row> table() {
    return new ReportTable<Row>()
        .column("results", Row::subject)
        .column("job", Row::job)
        .column("figure", row -> row.figure().title())
        .column("baseline", row -> row.figure().unit().text(row.before()))
        .column("now", row -> row.figure().unit().text(row.after()))
        .column("ratio (95 %)", row -> row.ratio().text());
  }

  private static List<String> notes(List<Subject> subjects, List<Row> rows, boolean areIntervals) {
    List<String> notes = new ArrayList<>();
    int fewest =
        subjects.stream()
            .mapToInt(each -> each.figures(0, SavedFigure.RATE, areIntervals).length)
            .min()
            .orElse(0);
    if (!rows.isEmpty() && fewest < RatioInterval.FEWEST_ROUNDS) {
      notes.add(FEW);
    }
    if (areIntervals) {
      notes.add(ONE_TEST);
    }
    SavedResult first = subjects.getFirst().first();
    for (SavedResult result : all(subjects).toList()) {
      first
          .otherMachine(result)
          .forEach(
              other -> notes.add("Warning: " + result.file() + " is of another machine: " + other));
      for (SavedResult.Job job : result.jobs()) {
        if (job.errors() > 0) {
          notes.add(result.file() + ": " + job.label() + " had errors: " + job.errorsInWords());
        }
        if (job.isDisturbed()) {
          notes.add("Warning: the load tester of " + result.file() + " was disturbed.");
        }
      }
    }
    return notes;
  }

  private static Stream<SavedResult> all(List<Subject> subjects) {
    return subjects.stream().flatMap(subject -> subject.results().stream());
  }

  private List<String> failures(List<RatioCondition> bounds, List<Row> rows) {
    List<String> failures = new ArrayList<>();
    for (RatioCondition bound : bounds) {
      rows.stream()
          .filter(row -> row.figure() == bound.figure())
          .map(row -> bound.failure(row.subject() + ", " + row.job(), row.ratio(), isSure))
          .flatMap(Optional::stream)
          .forEach(failures::add);
    }
    return failures;
  }

  private int exitCode(List<Subject> subjects, List<String> failures) {
    List<SavedResult.Job> jobs = all(subjects).flatMap(result -> result.jobs().stream()).toList();
    if (!failures.isEmpty() || jobs.stream().anyMatch(job -> job.errors() > 0)) {
      return ExitCode.FAILED;
    }
    boolean isDisturbed = jobs.stream().anyMatch(SavedResult.Job::isDisturbed);
    return isDisturbed && !allowsDisturbed ? ExitCode.DISTURBED : ExitCode.OK;
  }

  private static JsonObject json(List<Row> rows, List<String> failures) {
    JsonArray ratios = new JsonArray();
    for (Row row : rows) {
      JsonObject ratio = new JsonObject();
      ratio.addProperty("results", row.subject());
      ratio.addProperty("job", row.job());
      ratio.addProperty("figure", row.figure().label());
      ratio.add("baseline", JsonNumber.of(row.before()));
      ratio.add("now", JsonNumber.of(row.after()));
      ratio.add("ratio", JsonNumber.of(row.ratio().ratio()));
      ratio.add("low95", JsonNumber.of(row.ratio().low()));
      ratio.add("high95", JsonNumber.of(row.ratio().high()));
      ratios.add(ratio);
    }
    JsonArray failed = new JsonArray();
    failures.forEach(failed::add);
    JsonObject json = new JsonObject();
    json.addProperty("kind", "results");
    json.addProperty("version", ResultJson.VERSION);
    json.add("ratios", ratios);
    json.add("failures", failed);
    return json;
  }
}
