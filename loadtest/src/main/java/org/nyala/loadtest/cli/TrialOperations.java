package org.nyala.loadtest.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.report.ErrorText;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * One operation of each kind before a load begins: a load whose operations all fail in the same way
 * measures nothing, and one with wrong passwords locks people out. Stateless.
 */
final class TrialOperations {
  /** The number of operations that must fail alike: one person may be missing. */
  private static final int OPERATIONS = 3;

  /** Results that pass: {@code timeLimitExceeded}, {@code busy}, {@code unavailable}. */
  private static final Set<Integer> PASSING = Set.of(3, 51, 52);

  private TrialOperations() {}

  /**
   * Tries every kind of operation of a test.
   *
   * @return the answers in words; empty if no kind can be tried
   * @throws LoadTestException if the server cannot be reached, or every operation of a kind fails
   *     for a reason that does not pass
   */
  static String of(List<LoadSettings> parts) throws LoadTestException, InterruptedException {
    StringBuilder answers = new StringBuilder();
    for (LoadSettings part : parts) {
      for (JobKind kind : part.kindsToTry()) {
        answers.append(answers.isEmpty() ? "trial: " : ", ").append(answer(part, kind));
      }
    }
    return answers.toString();
  }

  private static String answer(LoadSettings part, JobKind kind)
      throws LoadTestException, InterruptedException {
    LoadReport report = LoadRun.run(part.trial(kind, 1));
    int more = Math.min(OPERATIONS, part.people().users());
    Map<String, Long> errors = new TreeMap<>();
    if (report.errorCount() > 0 && more > 1) {
      // Nobody logs in twice: a second wrong password may lock an account.
      errors.putAll(kind.logsIn() ? report.errors() : Map.of());
      report = LoadRun.run(part.trial(kind, kind.logsIn() ? more - 1 : more));
    }
    report.errors().forEach((error, number) -> errors.merge(error, number, Long::sum));
    if (errors.isEmpty()) {
      double millis = report.corrected().getMaxValue() / 1e6;
      return report.allOperations() == 0
          ? kind.label() + " under way"
          : String.format(
              Locale.ROOT, "%s right in %s ms", kind.label(), FigureText.decimal(millis, 1));
    }
    boolean isPassing = report.errorsByResultCode().keySet().stream().anyMatch(PASSING::contains);
    if (report.allOperations() == 0 && !isPassing) {
      throw new LoadTestException(
          "before the load, "
              + (more > 1 ? more + " trial operations" : "a trial operation")
              + " of the kind "
              + kind.label()
              + " failed ("
              + ErrorText.of(errors)
              + ")"
              + (report.wrongExample().isEmpty() ? "" : ": " + report.wrongExample())
              + hints(report, part.options().patterns() == null)
              + "; --no-trial begins all the same");
    }
    return kind.label() + " " + ErrorText.of(errors);
  }

  /** Returns what to look at, for the results that wrong options cause most often. */
  private static String hints(LoadReport report, boolean isSample) {
    return report.errorsByResultCode().keySet().stream()
        .map(
            code ->
                switch (code) {
                  case 32 -> "; do --base and --people name entries of this server?";
                  case 49 ->
                      isSample
                          ? "; is the password of uid=user.N password.N?"
                          : "; are the passwords of --names or --person-password right?";
                  case 50 -> "; may --bind-dn do this?";
                  default -> "";
                })
        .distinct()
        .collect(Collectors.joining());
  }
}
