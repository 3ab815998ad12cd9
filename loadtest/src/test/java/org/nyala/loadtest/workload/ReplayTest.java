package org.nyala.loadtest.workload;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.loadtest.engine.JobTestCase;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.format.RenderedPage;
import org.nyala.loadtest.format.ReportPage;
import org.nyala.loadtest.report.ReportText;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.result.KindReport;
import org.nyala.loadtest.result.LoadReport;

class ReplayTest extends JobTestCase {
  private static final Replay.Rules RULES =
      new Replay.Rules(
          new Account("cn=service", "secret"), "ou=People,dc=example,dc=com", "title", true);
  private static final Replay.Rules READING =
      new Replay.Rules(Account.ANONYMOUS, "ou=People,dc=example,dc=com", "title", false);

  /** One operation of every kind, as slapd logs them, with what slapd logs beside them. */
  private static final String EVERY_KIND =
      """
      674f1a2b.00000000 0x7f1 conn=1 fd=12 ACCEPT from IP=127.0.0.1:1 (IP=127.0.0.1:389)
      674f1a2b.00000001 0x7f1 conn=1 op=0 BIND dn="" method=128
      674f1a2b.00000002 0x7f1 conn=1 op=0 RESULT tag=97 err=0 qtime=0.0 etime=0.0 text=
      674f1a2b.00000003 0x7f1 conn=1 op=1 BIND dn="cn=service" method=128
      674f1a2b.00000003 0x7f1 conn=1 op=1 BIND dn="cn=service" mech=SIMPLE bind_ssf=0 ssf=0
      674f1a2b.00000004 0x7f1 conn=1 op=1 RESULT tag=97 err=0 qtime=0.0 etime=0.0 text=
      674f1a2b.00000005 0x7f1 conn=1 op=2 BIND dn="uid=user.3,ou=people,dc=example,dc=com" method=128
      674f1a2b.00000006 0x7f1 conn=1 op=3 BIND dn="uid=user.4,ou=people,dc=example,dc=com" method=128
      674f1a2b.00000007 0x7f1 conn=1 op=3 RESULT tag=97 err=49 qtime=0.0 etime=0.0 text=
      674f1a2b.00000008 0x7f1 conn=1 op=4 BIND dn="cn=nobody knows" method=128
      674f1a2b.00000009 0x7f1 conn=1 op=5 BIND dn="" method=163
      674f1a2b.00000009 0x7f1 conn=1 op=5 BIND authcid="ann" authzid="" entry=""
      674f1a2b.0000000a 0x7f1 conn=1 op=6 SRCH base="dc=example,dc=com" scope=2 deref=3 filter="(uid=user.1)"
      674f1a2b.0000000a 0x7f1 conn=1 op=6 SRCH attr=cn sn
      674f1a2b.0000000b 0x7f1 conn=1 op=6 SEARCH RESULT tag=101 err=0 qtime=0.0 etime=0.0 nentries=1 text=
      674f1a2b.0000000c 0x7f1 conn=1 op=7 SRCH base="dc=nowhere" scope=0 deref=0 filter="(objectClass=*)"
      674f1a2b.0000000d 0x7f1 conn=1 op=7 SEARCH RESULT tag=101 err=32 qtime=0.0 etime=0.0 nentries=0 text=
      674f1a2b.0000000e 0x7f1 conn=1 op=8 CMP dn="uid=user.1,ou=People,dc=example,dc=com" attr="uid"
      674f1a2b.0000000f 0x7f1 conn=1 op=8 RESULT tag=111 err=6 qtime=0.0 etime=0.0 text=
      674f1a2b.00000010 0x7f1 conn=1 op=9 CMP dn="uid=user.1,ou=People,dc=example,dc=com" attr="cn"
      674f1a2b.00000011 0x7f1 conn=1 op=10 MOD dn="uid=user.1,ou=People,dc=example,dc=com"
      674f1a2b.00000011 0x7f1 conn=1 op=10 MOD attr=mail telephoneNumber
      674f1a2b.00000012 0x7f1 conn=1 op=10 RESULT tag=103 err=0 qtime=0.0 etime=0.0 text=
      674f1a2b.00000013 0x7f1 conn=1 op=11 ADD dn="uid=new,ou=People,dc=example,dc=com"
      674f1a2b.00000014 0x7f1 conn=1 op=12 DEL dn="uid=new,ou=People,dc=example,dc=com"
      674f1a2b.00000015 0x7f1 conn=1 op=12 RESULT tag=107 err=0 qtime=0.0 etime=0.0 text=
      674f1a2b.00000016 0x7f1 conn=1 op=13 MODRDN dn="uid=user.1,ou=People,dc=example,dc=com"
      674f1a2b.00000017 0x7f1 conn=1 op=14 EXT oid=1.3.6.1.4.1.4203.1.11.1
      674f1a2b.00000018 0x7f1 conn=1 op=15 ABANDON msg=3
      674f1a2b.00000019 0x7f1 conn=1 op=16 UNBIND
      """;

  private static JobOptions options(Replay replay) {
    return new JobOptions(
        "description",
        "uid",
        PAGE,
        20,
        Targets.PEOPLE.inOrder(Targets.Order.SEQUENTIAL, 1),
        Mix.NONE,
        replay,
        1);
  }

  private LoadReport run(Replay replay) throws Exception {
    return LoadRun.run(
        settings(
            JobKind.REPLAY,
            0,
            replay.steps().size(),
            "cn=service",
            options(replay),
            LoadRate.CLOSED));
  }

  @Test
  void shouldSendSearchesAtTheirTimes(@TempDir Path directory) throws Exception {
    Path log = directory.resolve("access.log");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      lines.append("674f1a2b.").append(String.format(Locale.ROOT, "%08x", i * 10_000_000));
      lines.append(" 0x7f1 conn=10").append(i % 3).append(" op=").append(i);
      lines.append(
          " SRCH base=\"ou=People,dc=example,dc=com\" scope=2 deref=0 filter=\"(uid=user.");
      lines.append(i).append(")\"\n");
    }
    Files.writeString(log, lines);
    Replay replay = Replay.read(log, 2, READING);
    assertThat(replay.leftOut()).isEmpty();
    assertThat(replay.nanos()).hasSize(40).startsWith(0L, 5_000_000L).endsWith(195_000_000L);

    LoadReport report = run(replay);

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(40);
    assertThat(searches.get()).isEqualTo(40);
    assertThat(report.seconds()).isGreaterThan(0.19);
    assertThat(ReportText.of(report))
        .contains(
            "3 connections, 2 event loops, at the times of the log",
            "from intended start",
            "from actual send");
    JsonObject results = ResultJson.document(Map.of(), List.of(report), Optional.empty());
    try (RenderedPage page = new RenderedPage(ReportPage.of(results))) {
      assertThat(page.text())
          .contains("from the intended start (corrected)", "at the times of the log");
    }
  }

  @Test
  void shouldSendEveryKindThatTheLogTellsEnoughOf(@TempDir Path directory) throws Exception {
    Path log = Files.writeString(directory.resolve("log"), EVERY_KIND);
    Replay replay = Replay.read(log, 1, RULES);
    assertThat(replay.steps())
        .extracting(Replay.Step::kind)
        .containsExactly(
            JobKind.BIND,
            JobKind.BIND,
            JobKind.BIND,
            JobKind.BIND,
            JobKind.SEARCH,
            JobKind.SEARCH,
            JobKind.COMPARE,
            JobKind.MODIFY,
            JobKind.ADD_DELETE);
    assertThat(replay.leftOut())
        .isEqualTo(
            Map.of("BIND", 2L, "CMP", 1L, "ADD", 1L, "MODRDN", 1L, "EXT", 1L, "ABANDON", 1L));

    LoadReport report = run(replay);

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(9);
    assertThat(report.kinds())
        .extracting(KindReport::job, KindReport::operations)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(JobKind.SEARCH, 2L),
            org.assertj.core.groups.Tuple.tuple(JobKind.COMPARE, 1L),
            org.assertj.core.groups.Tuple.tuple(JobKind.BIND, 4L),
            org.assertj.core.groups.Tuple.tuple(JobKind.MODIFY, 1L),
            org.assertj.core.groups.Tuple.tuple(JobKind.ADD_DELETE, 1L));
    assertThat(writes(JobKind.MODIFY)).isEqualTo(1);
    assertThat(server.getEntry("uid=user.1,ou=People,dc=example,dc=com").hasAttribute("title"))
        .isTrue();
    assertThat(ReportText.of(report))
        .contains("left out of the log: 1 ABANDON, 1 ADD, 2 BIND, 1 CMP");
    assertThat(ResultJson.job(report).toString()).contains("\"leftOutOfLog\":{");
  }

  @Test
  void shouldChangeNothingUnlessAsked(@TempDir Path directory) throws Exception {
    Path log = Files.writeString(directory.resolve("log"), EVERY_KIND);
    Replay replay = Replay.read(log, 1, READING);

    assertThat(replay.steps())
        .extracting(Replay.Step::kind)
        .doesNotContain(JobKind.MODIFY, JobKind.ADD_DELETE);
    assertThat(replay.leftOut()).containsEntry("MOD", 1L).containsEntry("DEL", 1L);
    assertThat(replay.leftOut()).as("with an unknown password").containsEntry("BIND", 3L);
  }

  @Test
  void shouldFindOtherResultsThanTheLogHas(@TempDir Path directory) throws Exception {
    String search =
        "674f1a2b.00000001 conn=1 op=%s SRCH base=\"%s\" scope=0 deref=0 filter=\"(a=b)\"\n";
    String result =
        "674f1a2b.00000002 conn=1 op=%s SEARCH RESULT tag=101 err=%s nentries=0 text=\n";
    Path log =
        Files.writeString(
            directory.resolve("log"),
            search.formatted(1, "dc=nowhere")
                + result.formatted(1, 0)
                + search.formatted(2, "dc=nowhere")
                + result.formatted(2, 32)
                + search.formatted(3, "dc=nowhere")
                + search.formatted(4, "dc=example,dc=com")
                + result.formatted(4, 32));

    LoadReport report = run(Replay.read(log, 1, READING));

    assertThat(report.operations()).isEqualTo(2);
    assertThat(report.errors()).isEqualTo(Map.of("resultCode32", 2L));
  }

  @Test
  void shouldReadWhatNyalaWrites(@TempDir Path directory) throws Exception {
    Path log =
        Files.writeString(
            directory.resolve("log"),
            """
            2026-11-21T10:15:30.123601Z conn=3 op=0 SRCH base="dc=example,dc=com" scope=2 deref=0 filter="(uid=user.7)"
            2026-11-21T10:15:30.123601Z conn=3 op=0 SRCH attr=cn mail ...
            2026-11-21T10:15:30.123644Z conn=3 op=0 SEARCH RESULT tag=101 err=0 qtime=0.0 etime=0.0 nentries=1 text=
            2026-11-21T10:15:31.123644Z conn=3 op=1 CMP dn="uid=user.7,ou=People,dc=example,dc=com" attr="uid"
            2026-11-21T10:15:31.123650Z conn=3 op=1 ABANDONED qtime=0.0 etime=0.0
            2026-11-21T10:15:31.123700Z conn=3 fd=27 closed
            """);
    Replay replay = Replay.read(log, 1000, READING);

    assertThat(replay.nanos()).isEqualTo(List.of(0L, 1_000_043L));
    assertThat(replay.leftOut()).isEmpty();
    assertThat(run(replay).errors()).isEmpty();
  }

  @Test
  void shouldGoOnBehindWhatItCannotRead(@TempDir Path directory) throws Exception {
    String search = "22:52:04 conn=1 op=%s SRCH base=\"o=%s\" scope=0 deref=0 filter=\"%s\"\n";
    Path log =
        Files.writeString(
            directory.resolve("log"),
            "22:52:04 \u00fc is no UTF-8 here\n"
                + search.formatted(1, "x", "(a=b)")
                + search.formatted(2, "x", "(a=b")
                + search.formatted(3, "x", "(a=\\2)")
                + search.formatted(4, "x", "(badfilter)")
                + search.formatted(5, "\u00fc", "(a=b)"),
            ISO_8859_1);
    Replay replay = Replay.read(log, 1, READING);

    assertThat(replay.steps()).hasSize(2);
    assertThat(replay.leftOut()).containsExactly(Map.entry("SRCH", 3L));
  }

  @Test
  void shouldReadTimesOfDayOverMidnight(@TempDir Path directory) throws Exception {
    Path log = directory.resolve("log");
    Files.writeString(
        log,
        """
        Nov 21 23:59:59 host slapd[1]: conn=1 op=1 SRCH base="" scope=0 deref=0 filter="(a=b)"
        Nov 22 00:00:01 host slapd[1]: conn=1 op=2 SRCH base="o=x" scope=1 deref=0 filter="(a=\\29)"
        Nov 22 00:00:01 host slapd[1]: conn=1 op=2 SRCH attr=cn
        Nov 22 00:00:02 host slapd[1]: conn=1 op=3 UNBIND
        """);
    assertThat(Replay.read(log, 1, READING).nanos()).isEqualTo(List.of(0L, 2_000_000_000L));
    assertThatThrownBy(() -> Replay.read(log, 0, READING)).hasMessageContaining("--speed");

    Files.writeString(log, "conn=1 op=1 SRCH base=\"\" scope=0 deref=0 filter=\"(a=b)\"\n");
    assertThatThrownBy(() -> Replay.read(log, 1, READING)).hasMessageContaining("no time");
    Files.writeString(log, "nothing\n");
    assertThatThrownBy(() -> Replay.read(log, 1, READING)).hasMessageContaining("no operations");
  }

  @Test
  void shouldRefuseDepthWhereThereAreBinds(@TempDir Path directory) throws Exception {
    Path log = Files.writeString(directory.resolve("log"), EVERY_KIND);
    JobOptions options = options(Replay.read(log, 1, RULES));

    assertThatThrownBy(() -> settings(JobKind.REPLAY, 0, 9, "", options, new LoadRate(0, 4, 30, 1)))
        .hasMessageContaining("--depth");
  }
}
