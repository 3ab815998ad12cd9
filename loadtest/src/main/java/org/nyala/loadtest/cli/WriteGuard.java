package org.nyala.loadtest.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.Targets;

/**
 * A look at the data of a server before a job changes it: jobs that write are made for the sample,
 * and other data may be somebody's. Stateless.
 */
final class WriteGuard {
  private WriteGuard() {}

  /**
   * Looks at the first person, unless nothing is written.
   *
   * @throws LoadTestException if it is not that of the sample
   */
  static void check(List<LoadSettings> parts) throws LoadTestException, InterruptedException {
    for (LoadSettings part : parts) {
      List<JobKind> writing = part.writingKinds();
      if (writing.contains(JobKind.ADD)) {
        throw new LoadTestException(
            "the job add leaves its entries in the directory: --writes allows that");
      }
      if (!writing.isEmpty() && !isSample(part)) {
        throw new LoadTestException(
            "the job "
                + writing.getFirst().label()
                + " changes entries, and "
                + part.dnOf(0)
                + " is not a person of bin/nyala sample: --writes allows changes of these data");
      }
    }
  }

  private static boolean isSample(LoadSettings part) throws InterruptedException {
    Targets values = part.options().values();
    if (part.options().patterns() != null || !values.isPattern()) {
      return false;
    }
    String number = values.number(0);
    Map<String, List<byte[]>> entry = LoadRun.read(part, part.dnOf(0), "*");
    return has(entry, "mail", "user." + number + "@example.com")
        && has(entry, "homeDirectory", "/home/user." + number)
        && has(entry, "employeeNumber", number)
        && has(entry, "title", "");
  }

  private static boolean has(Map<String, List<byte[]>> entry, String attribute, String value) {
    return entry.getOrDefault(attribute.toLowerCase(java.util.Locale.ROOT), List.of()).stream()
        .anyMatch(found -> value.isEmpty() || new String(found, UTF_8).equals(value));
  }
}
