package org.nyala.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.result.ClosedLoopReport;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.SecondsTable;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;

/** Compares the manual page with the program. */
class ManualTest {
  private static Path manual() {
    Path page = Path.of("src-docs", "loadtest.adoc");
    return Files.exists(page) ? page : Path.of("..").resolve(page);
  }

  @Test
  void shouldNameEveryJob() throws Exception {
    String page = Files.readString(manual());

    assertThat(Main.commandLine().getSubcommands().keySet())
        .allSatisfy(job -> assertThat(page).contains("`" + job + "`"));
  }

  @Test
  void shouldExplainEveryKeyOfResults() throws Exception {
    String page = Files.readString(manual());
    JSONObject results = new JSONObject(LoadReports.document());
    Set<String> keys = new TreeSet<>();
    gather(results, keys);
    gather((JSONObject) results.getFieldAsArray("jobs").getFirst(), keys);

    assertThat(keys).allSatisfy(key -> assertThat(page).contains("`" + key + "`"));
  }

  private static void gather(JSONObject object, Set<String> keys) {
    object
        .getFields()
        .forEach(
            (key, value) -> {
              keys.add(key);
              if (value instanceof JSONObject inner
                  && !List.of("errors", "errorsByResultCode", "facts", "settings").contains(key)) {
                gather(inner, keys);
              }
            });
  }

  /** A report without anything in it. */
  private static final class LoadReports {
    static String document() {
      LoadSettings settings =
          new LoadSettings(
              JobKind.MODIFY_EACH,
              new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 1),
              1,
              1,
              TestDuration.of(1, 0),
              People.of(1),
              Account.ANONYMOUS,
              0,
              JobOptions.DEFAULT);
      LoadReport report = ClosedLoopReport.of(settings, 1, 0, Map.of(), new Histogram(3), -1);
      return ResultJson.document(Map.of(), List.of(report), Optional.of(SecondsTable.Unit.MILLIS))
          .toString();
    }
  }
}
