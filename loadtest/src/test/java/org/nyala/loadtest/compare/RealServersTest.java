package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.jmh.BenchmarkServer;
import org.nyala.loadtest.jmh.StrategyChoice;
import org.nyala.loadtest.result.KindReport;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.ChangedOptions;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Mix;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.Replay;
import org.nyala.loadtest.workload.Targets;
import org.nyala.loadtest.workload.TestDuration;

/** The jobs against real servers: Nyala with LMDB, and slapd where it is installed. */
class RealServersTest {
  private static final int USERS = 60;
  private static final int CLIENTS = 3;

  /** The end of a test that has not reached its operations: hashes take long on busy machines. */
  private static final int LONGEST_SECONDS = 240;

  private static final int OPERATIONS = 20;

  @TempDir static Path folder;
  private static @Nullable BenchmarkServer nyala;
  private static @Nullable ServerProcess slapd;

  @BeforeAll
  static void startServers() throws Exception {
    nyala = BenchmarkServer.start(StrategyChoice.create(DispatchStrategies.DEFAULT, 0), USERS, 1);
    if (SlapdSetup.isInstalled()) {
      SlapdSetup setup = new SlapdSetup(Files.createDirectory(folder.resolve("slapd")));
      setup.load(Files.writeString(folder.resolve("people.ldif"), people()));
      slapd = setup.start(2);
    }
  }

  private static String people() {
    StringBuilder ldif = new StringBuilder(16 * 1024);
    ldif.append("dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n");
    ldif.append("dn: ou=People,dc=example,dc=com\nobjectClass: organizationalUnit\nou: People\n\n");
    for (int user = 0; user < USERS; user++) {
      ldif.append(
          """
          dn: uid=user.%1$d,ou=People,dc=example,dc=com
          objectClass: inetOrgPerson
          uid: user.%1$d
          cn: Person %1$d
          sn: Person
          mail: user.%1$d@example.com
          userPassword: password.%1$d
          description: A person

          """
              .formatted(user));
    }
    return ldif.toString();
  }

  @AfterAll
  static void stopServers() throws Exception {
    if (slapd != null) {
      slapd.close();
    }
    Objects.requireNonNull(nyala).stop();
  }

  private static LoadReport run(JobKind job, InetSocketAddress server) throws Exception {
    LoadSettings settings =
        new LoadSettings(
            job,
            server,
            CLIENTS,
            1,
            new TestDuration(LONGEST_SECONDS, 0, OPERATIONS),
            People.of(USERS),
            ServerProcess.account(job),
            ProcessHandle.current().pid(),
            JobOptions.DEFAULT);
    return LoadRun.run(settings);
  }

  private static void shouldBeRight(JobKind job, LoadReport report) {
    assertThat(report.errors()).as(job.label()).isEmpty();
    assertThat(report.allOperations())
        .isEqualTo(job == JobKind.MODIFY_EACH ? USERS : CLIENTS * OPERATIONS);
    assertThat(report.corrected().getTotalCount()).isEqualTo(report.operations());
  }

  /**
   * All but those that need more than people: dynamic entries, a log, a mix, changes of others,
   * TLS, or no answers.
   */
  private static Set<JobKind> jobs() {
    return EnumSet.complementOf(
        EnumSet.of(
            JobKind.TLS_HANDSHAKE,
            JobKind.IDLE,
            JobKind.REFRESH,
            JobKind.REPLAY,
            JobKind.MIXED,
            JobKind.FOLLOW));
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void shouldGetRightAnswersFromNyala(JobKind job) throws Exception {
    shouldBeRight(job, run(job, Objects.requireNonNull(nyala).address()));
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void shouldGetRightAnswersFromSlapd(JobKind job) throws Exception {
    assumeTrue(slapd != null, "slapd is not installed");
    shouldBeRight(job, run(job, Objects.requireNonNull(slapd).address()));
  }

  /** Everything of a mix at the same time, scans beside additions and renamings included. */
  private static void shouldMix(InetSocketAddress server) throws Exception {
    String mix =
        "search=5,base=5,bind=2,compare=2,modify=2,add=1,add-delete=2,rename=2,scan=1,paged=1,"
            + "password-modify=1";
    LoadSettings settings =
        new LoadSettings(
            JobKind.MIXED,
            server,
            CLIENTS,
            1,
            new TestDuration(LONGEST_SECONDS, 0, 10 * OPERATIONS),
            People.of(USERS),
            ServerProcess.account(JobKind.MODIFY),
            0,
            ChangedOptions.of(JobOptions.DEFAULT, Mix.parse(mix)));

    LoadReport report = LoadRun.run(settings);

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(10L * CLIENTS * OPERATIONS);
    assertThat(report.kinds()).hasSize(11);
    assertThat(report.kinds().stream().mapToLong(KindReport::operations).sum())
        .isEqualTo(report.operations());
  }

  /** The log has what was done to Nyala; of slapd it is as true. */
  private static void shouldReplay(InetSocketAddress server) throws Exception {
    StringBuilder lines = new StringBuilder(4096);
    for (int i = 0; i < 40; i++) {
      String name = "uid=user." + i + "," + People.DEFAULT_PARENT;
      lines.append("2026-11-21T10:15:30.").append(100_000 + i * 1000).append("Z conn=1 op=");
      lines.append(i).append(' ');
      lines.append(
          switch (i % 4) {
            case 0 -> "BIND dn=\"%s\" method=128".formatted(name);
            case 1 -> "CMP dn=\"%s\" attr=\"uid\"".formatted(name);
            case 2 -> "MOD dn=\"%s\"".formatted(name);
            default -> "SRCH base=\"%s\" scope=0 deref=0 filter=\"(cn=*)\"".formatted(name);
          });
      lines.append('\n');
    }
    Path log = Files.writeString(folder.resolve("access.log"), lines);
    Account root = ServerProcess.account(JobKind.MODIFY);
    Replay replay =
        Replay.read(log, 1, new Replay.Rules(root, People.DEFAULT_PARENT, "description", true));
    assertThat(replay.leftOut()).isEmpty();
    JobOptions options =
        new JobOptions(
            "description",
            "uid",
            1,
            1,
            Targets.PEOPLE.inOrder(Targets.Order.SEQUENTIAL, 1),
            Mix.NONE,
            replay,
            1);

    LoadReport report =
        LoadRun.run(
            new LoadSettings(
                JobKind.REPLAY,
                server,
                CLIENTS,
                1,
                new TestDuration(LONGEST_SECONDS, 0, 0),
                People.of(40),
                root,
                0,
                options));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(40);
    assertThat(report.kinds()).extracting(KindReport::operations).containsOnly(10L);
  }

  @Test
  void shouldMixAndReplayWithNyala() throws Exception {
    shouldMix(Objects.requireNonNull(nyala).address());
    shouldReplay(Objects.requireNonNull(nyala).address());
  }

  @Test
  void shouldMixAndReplayWithSlapd() throws Exception {
    assumeTrue(slapd != null, "slapd is not installed");
    shouldMix(Objects.requireNonNull(slapd).address());
    shouldReplay(Objects.requireNonNull(slapd).address());
  }
}
