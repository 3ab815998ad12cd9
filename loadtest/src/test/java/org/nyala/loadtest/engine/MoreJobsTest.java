package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.loadtest.cli.ScanSeries;
import org.nyala.loadtest.report.ReportText;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.result.KindReport;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.ChangedOptions;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.Mix;
import org.nyala.loadtest.workload.Targets;

class MoreJobsTest extends JobTestCase {
  private static final int DEPTH = 4;
  private static final LoadRate DEEP = new LoadRate(0, DEPTH, 30, 1);

  private List<String> dns() throws Exception {
    return server
        .search("dc=example,dc=com", SearchScope.SUB, "(objectClass=*)", "1.1")
        .getSearchEntries()
        .stream()
        .map(Entry::getDN)
        .toList();
  }

  @ParameterizedTest
  @EnumSource(
      value = JobKind.class,
      names = {"SEARCH", "BASE", "COMPARE", "MODIFY", "ADD_DELETE", "RENAME", "REFRESH"})
  void shouldKeepSeveralRequestsOutstanding(JobKind job) throws Exception {
    List<String> before = dns();

    LoadReport report =
        LoadRun.run(settings(job, OPERATIONS, USERS, "cn=service", JobOptions.DEFAULT, DEEP));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo((long) CLIENTS * DEPTH * OPERATIONS);
    assertThat(dns()).containsExactlyInAnyOrderElementsOf(before);
    assertThat(binds.get()).isEqualTo(CLIENTS);
  }

  @ParameterizedTest
  @EnumSource(
      value = JobKind.class,
      names = {"BIND", "AUTHENTICATE", "CONNECT", "SCAN", "FOLLOW", "VLV", "VLV_OPEN", "PAGED"})
  void shouldRefuseDepthWhereRequestsMustWaitForEachOther(JobKind job) {
    assertThatThrownBy(() -> settings(job, 1, USERS, "", JobOptions.DEFAULT, DEEP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--depth");
  }

  @Test
  void shouldRefreshDynamicEntriesAndDeleteThem() throws Exception {
    List<String> before = dns();

    LoadReport report = LoadRun.run(settings(JobKind.REFRESH, OPERATIONS, 1, ""));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(CLIENTS * OPERATIONS);
    assertThat(refreshed.get()).isEqualTo(CLIENTS * OPERATIONS);
    assertThat(writes(JobKind.ADD_DELETE)).isEqualTo(2 * CLIENTS);
    assertThat(dns()).containsExactlyInAnyOrderElementsOf(before);
  }

  @Test
  void shouldHoldConnectionsThatDoNothing() throws Exception {
    LoadSettings settings = settings(JobKind.IDLE, 0, 1, "cn=service").lasting(0.5, 0);

    LoadReport report = LoadRun.run(settings);

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(CLIENTS);
    assertThat(binds.get()).isEqualTo(CLIENTS);
  }

  @Test
  void shouldNoticeThatIdleConnectionsWereClosed() throws Exception {
    double seconds = 1;
    // They may be closed too late, by a machine that stands still: then there is to be more time.
    while (!noticesThatIdleConnectionsWereClosed(seconds)) {
      seconds *= 2;
      assertThat(seconds).isLessThan(60);
    }
  }

  private boolean noticesThatIdleConnectionsWereClosed(double seconds) throws Exception {
    LoadSettings settings = settings(JobKind.IDLE, 0, 1, "cn=service").lasting(seconds, 0);
    int before = binds.get();
    Thread breaker =
        Thread.ofPlatform()
            .start(
                () -> {
                  eventually("all have bound", () -> binds.get() >= before + CLIENTS);
                  server.closeAllConnections(false);
                });
    try {
      return LoadRun.run(settings).errorCount() > 0;
    } catch (LoadTestException e) {
      assertThat(e).hasMessageContaining("closed");
      return true;
    } finally {
      breaker.join();
    }
  }

  @Test
  void shouldFindTimesToLiveThatAreNone() throws Exception {
    for (long ttl : new long[] {0, 3599, 31_557_601, -1}) {
      grantedSeconds = ttl;

      LoadReport report = LoadRun.run(settings(JobKind.REFRESH, 5, 1, ""));

      assertThat(report.errors()).as("ttl " + ttl).containsOnlyKeys("wrongAnswer");
      assertThat(report.wrongAnswers()).isEqualTo(5 * CLIENTS);
      assertThat(report.wrongExample())
          .isEqualTo(
              "a dynamic entry was refreshed for "
                  + (ttl > 0 ? ttl + " s" : "no time")
                  + "; expected from 3600 s to a year");
    }
  }

  @Test
  void shouldCountTheKindsOfAMix() throws Exception {
    String mix = "search=3,compare=2,paged=1,scan=1,add-delete=1,rename=1";
    JobOptions options =
        ChangedOptions.of(
            new JobOptions("description", "uid:caseIgnoreOrderingMatch", PAGE, 20), Mix.parse(mix));
    List<String> before = dns();
    searchesUntilRefusal = 200;

    LoadReport report =
        LoadRun.run(settings(JobKind.MIXED, 400, USERS, "cn=service", options, LoadRate.CLOSED));

    assertThat(report.kinds()).extracting(KindReport::job).hasSize(6);
    assertThat(report.errors()).containsOnlyKeys("resultCode51");
    for (KindReport kind : report.kinds()) {
      assertThat(kind.operations()).as(kind.job().label()).isPositive();
      assertThat(kind.corrected().getTotalCount()).isEqualTo(kind.operations());
      boolean isSearch = List.of(JobKind.SEARCH, JobKind.PAGED, JobKind.SCAN).contains(kind.job());
      assertThat(kind.errorCount() > 0).as(kind.job().label()).isEqualTo(isSearch);
      assertThat(kind.units() > kind.operations())
          .as(kind.job().label())
          .isEqualTo(kind.job().countsEntries());
    }
    assertThat(report.kinds().stream().mapToLong(KindReport::operations).sum())
        .isEqualTo(report.operations());
    assertThat(report.kinds().stream().mapToLong(KindReport::errorCount).sum())
        .isEqualTo(report.errorCount());
    assertThat(ReportText.of(report))
        .contains("kind ")
        .contains("add-delete ")
        .contains(" entries");
    assertThat(ResultJson.job(report).toString()).contains("\"kinds\":[{\"job\":\"search\"");
    searchesUntilRefusal = Integer.MAX_VALUE;
    assertThat(dns()).containsExactlyInAnyOrderElementsOf(before);
  }

  @Test
  void shouldEndScansOfAMixWhenTheTimeIsOver() throws Exception {
    List<String> before = dns();
    JobOptions options =
        ChangedOptions.of(JobOptions.DEFAULT, Mix.parse("scan=5,add-delete=1,rename=1"));
    LoadSettings settings =
        settings(JobKind.MIXED, 0, USERS, "cn=service", options, LoadRate.CLOSED).lasting(0.3, 0);

    for (int i = 0; i < 5; i++) {
      LoadReport report = LoadRun.run(settings);

      assertThat(report.errors()).isEmpty();
      assertThat(report.kinds()).hasSize(3);
      assertThat(dns()).containsExactlyInAnyOrderElementsOf(before);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "search",
        "base",
        "compare",
        "bind",
        "auth",
        "heavy",
        "modify",
        "modify-each",
        "rename"
      })
  void shouldWriteNumbersWithLeadingZeros(String job) throws Exception {
    for (int user = 7; user <= 12; user++) {
      addPerson(String.format(Locale.ROOT, "%05d", user));
    }
    Targets.Range people = Targets.parse("uid=user.[00007-00012]", Targets.Order.RANDOM, 1);

    LoadReport report =
        LoadRun.run(
            settings(
                JobKind.of(job),
                OPERATIONS,
                people.count(),
                "cn=service",
                ChangedOptions.of(JobOptions.DEFAULT, people.values()),
                LoadRate.CLOSED));

    assertThat(report.errors()).isEmpty();
    int operations = "modify-each".equals(job) ? people.count() : CLIENTS * OPERATIONS;
    assertThat(report.operations()).isEqualTo(operations);
  }

  @ParameterizedTest
  @ValueSource(strings = {"test008", "search=5,heavy=1,auth=1", "compare=1,base=1,modify=3"})
  void shouldMixJobsAndLeaveEverythingAsItWas(String mix) throws Exception {
    List<String> before = dns();
    JobOptions options = ChangedOptions.of(JobOptions.DEFAULT, Mix.parse(mix));

    LoadReport report =
        LoadRun.run(
            settings(JobKind.MIXED, OPERATIONS, USERS, "cn=service", options, LoadRate.CLOSED));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(CLIENTS * OPERATIONS);
    assertThat(dns()).containsExactlyInAnyOrderElementsOf(before);
    assertThat(searches.get() + binds.get() + writes(JobKind.MODIFY)).isPositive();
  }

  @Test
  void shouldMixByWeight() throws Exception {
    JobOptions options = ChangedOptions.of(JobOptions.DEFAULT, Mix.parse("search=3,modify=1"));

    LoadReport report =
        LoadRun.run(settings(JobKind.MIXED, 1000, USERS, "", options, new LoadRate(0, 2, 30, 1)));

    assertThat(report.errors()).isEmpty();
    int all = CLIENTS * 2 * 1000;
    assertThat(searches.get() + writes(JobKind.MODIFY)).isEqualTo(all);
    assertThat(searches.get()).isBetween(all * 7 / 10, all * 8 / 10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "swim=1",
        "search",
        "search=0",
        "search=x",
        "idle=1",
        "follow=1",
        "base=1,base=1"
      })
  void shouldRejectMixesThatAreNone(String mix) {
    assertThatThrownBy(() -> Mix.parse(mix))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--mix");
  }

  @Test
  void shouldFollowASchedule() throws Exception {
    LoadRate pace = new LoadRate(200, 1, 60, 1);
    for (JobKind job : List.of(JobKind.AUTHENTICATE, JobKind.CONNECT, JobKind.ADD_DELETE)) {
      LoadSettings settings =
          settings(job, 0, USERS, "cn=service", JobOptions.DEFAULT, pace).lasting(0.5, 0.1);

      LoadReport report = LoadRun.run(settings);

      assertThat(report.errors()).as(job.label()).isEmpty();
      assertThat(report.operations()).as(job.label()).isBetween(99L, 101L);
    }
  }

  @Test
  void shouldSearchTheNamesOfAFileOverAndOver(@TempDir Path directory) throws Exception {
    Path names = directory.resolve("names");
    Files.writeString(names, "user.1\n\n(&(uid=user.2)(objectClass=*))\n(uid=nobody)\n");
    Targets values = Targets.read(names, "uid", Targets.Order.SEQUENTIAL, 1).values();

    LoadReport report =
        LoadRun.run(
            settings(
                JobKind.SEARCH,
                OPERATIONS,
                3,
                "",
                ChangedOptions.of(JobOptions.DEFAULT, values),
                LoadRate.CLOSED));

    assertThat(report.errors()).isEmpty();
    assertThat(searches.get()).isEqualTo(CLIENTS * OPERATIONS);

    Files.writeString(names, "uid=user.7,ou=People,dc=example,dc=com\nuser.8\n");
    Targets dns = Targets.read(names, "uid", Targets.Order.SEQUENTIAL, 1).values();
    LoadReport reading =
        LoadRun.run(
            settings(
                JobKind.BASE,
                OPERATIONS,
                2,
                "",
                ChangedOptions.of(JobOptions.DEFAULT, dns),
                LoadRate.CLOSED));
    assertThat(reading.errors()).isEmpty();
  }

  @Test
  void shouldSearchPatternsOfOtherAttributes() throws Exception {
    Targets.Range people = Targets.parse("cn=Person [5-9]", Targets.Order.ZIPF, 0.99);
    JobOptions options = ChangedOptions.of(JobOptions.DEFAULT, people.values());

    LoadReport report =
        LoadRun.run(
            settings(JobKind.SEARCH, OPERATIONS, people.count(), "", options, LoadRate.CLOSED));

    assertThat(report.errors()).isEmpty();

    Targets.Range nobody = Targets.parse("cn=Nobody [5-9]", Targets.Order.RANDOM, 0.99);
    LoadReport wrong =
        LoadRun.run(
            settings(
                JobKind.SEARCH,
                5,
                5,
                "",
                ChangedOptions.of(JobOptions.DEFAULT, nobody.values()),
                LoadRate.CLOSED));
    assertThat(wrong.wrongAnswers()).isEqualTo(5 * CLIENTS);
  }

  @Test
  void shouldScanByMoreAndMoreClientsTwice() throws Exception {
    StringWriter out = new StringWriter();

    boolean isRight =
        new ScanSeries(settings(JobKind.SCAN, 0, USERS, ""), new PrintWriter(out))
            .run(List.of(1, 2, 4));

    assertThat(isRight).isTrue();
    assertThat(searches.get()).isEqualTo(2 * (1 + 2 + 4));
    assertThat(out.toString().lines()).hasSize(7).last().asString().containsPattern("^4 +2 ");
  }
}
