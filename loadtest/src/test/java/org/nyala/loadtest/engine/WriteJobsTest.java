package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.loadtest.report.ReportText;
import org.nyala.loadtest.result.LatencyTable;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;

class WriteJobsTest extends JobTestCase {
  @Test
  void shouldModifyEveryEntryExactlyOnce() throws Exception {
    LoadReport report = LoadRun.run(settings(JobKind.MODIFY_EACH, 0, USERS, ""));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(USERS);
    assertThat(writes(JobKind.MODIFY)).isEqualTo(USERS);
    Set<String> values = new HashSet<>();
    for (int user = 0; user < USERS; user++) {
      values.add(server.getEntry(dn(user)).getAttributeValue("description"));
    }
    assertThat(values).hasSize(USERS).allMatch(value -> value.matches("[0-9]{12}"));
    assertThat(ReportText.of(report)).contains("below ");
    assertThat(LatencyTable.of(report.corrected()).total()).isEqualTo(USERS);
  }

  private static String dn(int user) {
    return "uid=user." + user + ",ou=People,dc=example,dc=com";
  }

  @Test
  void shouldCountEntriesThatItDidNotComeTo() throws Exception {
    LoadReport report = LoadRun.run(settings(JobKind.MODIFY_EACH, 10, USERS, ""));

    assertThat(report.operations()).isEqualTo(10 * CLIENTS);
    assertThat(report.errors())
        .containsExactlyEntriesOf(Map.of("notReached", USERS - 10L * CLIENTS));
  }

  @Test
  void shouldNoticeModificationsThatWereAnsweredButNotDone() throws Exception {
    isForgetful = true;

    LoadReport report = LoadRun.run(settings(JobKind.MODIFY_EACH, 0, USERS, ""));

    assertThat(report.errors()).containsExactlyEntriesOf(Map.of("wrongAnswer", (long) USERS));
    assertThat(report.wrongExample())
        .matches(
            "the change of uid=user\\.\\d+ was answered by success, but its entry does not have"
                + " the new value");
  }

  @ParameterizedTest
  @EnumSource(
      value = JobKind.class,
      names = {"ADD_DELETE", "RENAME"})
  void shouldLeaveEverythingAsItWas(JobKind job) throws Exception {
    List<String> before = dns();

    LoadReport report = LoadRun.run(settings(job, 7, USERS, ""));

    assertThat(report.errors()).isEmpty();
    assertThat(report.allOperations()).isEqualTo(7 * CLIENTS);
    assertThat(writes(job)).isEqualTo(8 * CLIENTS);
    assertThat(dns()).containsExactlyInAnyOrderElementsOf(before);
  }

  @Test
  void shouldAddEntriesAndLeaveThem() throws Exception {
    List<String> before = dns();

    LoadReport report = LoadRun.run(settings(JobKind.ADD, 7, 1, ""));

    assertThat(report.errors()).isEmpty();
    assertThat(report.units()).isEqualTo(7 * CLIENTS);
    assertThat(dns()).hasSize(before.size() + 7 * CLIENTS).containsAll(before);
  }

  private List<String> dns() throws Exception {
    return server
        .search("dc=example,dc=com", SearchScope.SUB, "(objectClass=*)", "1.1")
        .getSearchEntries()
        .stream()
        .map(Entry::getDN)
        .toList();
  }

  @Test
  void shouldCountRefusedWrites() throws Exception {
    refusesWrites = true;

    for (JobKind job : List.of(JobKind.MODIFY, JobKind.MODIFY_EACH, JobKind.ADD_DELETE)) {
      LoadReport report = LoadRun.run(settings(job, OPERATIONS, USERS, ""));
      assertThat(report.allOperations()).as(job.label()).isZero();
      assertThat(report.errors())
          .as(job.label())
          .containsExactlyEntriesOf(Map.of("resultCode53", (long) CLIENTS * OPERATIONS));
    }
  }

  @Test
  void shouldSearchAndModifyAtTheSameTimeAndReportBoth() throws Exception {
    List<LoadReport> reports =
        LoadRun.run(
            List.of(
                settings(JobKind.SEARCH, OPERATIONS, USERS, ""),
                settings(JobKind.MODIFY, 2 * OPERATIONS, USERS, "")));

    LoadReport search = reports.getFirst();
    LoadReport modify = reports.getLast();
    assertThat(search.errors()).isEmpty();
    assertThat(modify.errors()).isEmpty();
    assertThat(search.operations()).isEqualTo(CLIENTS * OPERATIONS);
    assertThat(modify.operations()).isEqualTo(2 * CLIENTS * OPERATIONS);
    assertThat(searches.get()).isEqualTo(CLIENTS * OPERATIONS);
    assertThat(writes(JobKind.MODIFY)).isEqualTo(2 * CLIENTS * OPERATIONS);
    assertThat(search.serverCpuMicros()).isEqualTo(modify.serverCpuMicros());
    assertThat(search.cpuUnits()).isEqualTo(3 * CLIENTS * OPERATIONS);
  }

  @Test
  void shouldCountListsThatAreShorterThanTheyMustBe() throws Exception {
    for (JobKind job : List.of(JobKind.VLV, JobKind.VLV_OPEN)) {
      LoadReport report = LoadRun.run(settings(job, OPERATIONS, 2 * USERS, ""));
      assertThat(report.allOperations()).as(job.label()).isZero();
      assertThat(report.errorCount()).as(job.label()).isGreaterThanOrEqualTo(120);
    }
    LoadReport paged = LoadRun.run(settings(JobKind.PAGED, 2 * PAGES, 2 * USERS, ""));
    assertThat(paged.errors()).containsExactlyEntriesOf(Map.of("wrongAnswer", 2L * CLIENTS));
  }

  @Test
  void shouldRefuseToRenameWithMoreClientsThanPeople() {
    assertThatThrownBy(() -> settings(JobKind.RENAME, 1, CLIENTS - 1, ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--users must be at least the number of clients");
  }
}
