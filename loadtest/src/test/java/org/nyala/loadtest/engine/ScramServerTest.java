package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.loadtest.engine.ScramServer.Kind;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.sasl.Mechanism;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Mix;
import org.nyala.loadtest.workload.PeopleLogin;

/** Binds by SCRAM to servers that know the user, and to servers that claim to. */
@Timeout(120)
class ScramServerTest {
  private final LoadTester tester = new LoadTester();

  private int run(StubServer server, String job, String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                job,
                "--url=ldap://127.0.0.1:" + server.address().getPort(),
                "--users=5",
                "--connections=3",
                "--seconds=100",
                "--operations=10",
                "--warmup-seconds=0"));
    all.addAll(List.of(more));
    return tester.run(all.toArray(String[]::new));
  }

  private int search(ScramServer behaviour, String password) throws Exception {
    try (StubServer server = StubServer.start(behaviour)) {
      return run(
          server,
          "search",
          "--mechanism=scram-sha-256",
          "--user=a,b=c",
          "--authzid=dn:cn=ann",
          "--password=" + password);
    }
  }

  @Test
  void shouldBindTheServiceIdentity() throws Exception {
    ScramServer server = new ScramServer(Kind.HONEST);
    assertThat(search(server, "secret")).as(tester.err()).isZero();
    assertThat(server.bound()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "HONEST, wrong, the server answered invalidCredentials (49)",
    "WRONG_SIGNATURE, secret, wrong signature of the server",
    "NO_SIGNATURE, secret, the server has not proved that it knows the user",
    "SUCCESS_AT_ONCE, secret, the server has not proved that it knows the user",
    "REFUSING, secret, the server answered authMethodNotSupported (7)",
    "MANY_ITERATIONS, secret, the server asks for 2147483647 iterations",
    "OTHER_NONCE, secret, not the first message of a server",
    "GARBAGE, secret, not the first message of a server"
  })
  void shouldNotUseAConnectionWithoutAProof(Kind kind, String password, String reason)
      throws Exception {
    assertThat(search(new ScramServer(kind), password)).isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("bind as the service identity: " + reason);
    assertThat(tester.err()).doesNotContain("\tat ");
  }

  /** Every person binds once before the test, with keys that serve all later binds. */
  @Test
  void shouldBindPeople() throws Exception {
    ScramServer server = new ScramServer(Kind.HONEST);
    LoadReport report = people(server, JobKind.BIND, Mix.NONE);
    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(3 * 10);
    assertThat(server.bound()).isEqualTo(5 + 3 * 10);
  }

  private static LoadReport people(ScramServer behaviour, JobKind job, Mix mix) throws Exception {
    try (StubServer server = StubServer.start(behaviour)) {
      LoadSettings plain = server.settings(JobKind.SEARCH, 3, 60, LoadRate.CLOSED);
      LoadSettings settings =
          new LoadSettings(
              job,
              plain.server(),
              plain.connections(),
              1,
              plain.extent(),
              org.nyala.loadtest.workload.People.of(5),
              plain.account(),
              0,
              org.nyala.loadtest.workload.ChangedOptions.of(plain.options(), mix)
                  .with(new PeopleLogin(Mechanism.SCRAM_SHA_256, "%u")));
      return LoadRun.run(StubServer.bounded(settings, 10));
    }
  }

  @Test
  void shouldBindPeopleBesideOtherJobs() throws Exception {
    ScramServer server = new ScramServer(Kind.HONEST);
    LoadReport report = people(server, JobKind.MIXED, Mix.parse("bind=1,search=1"));
    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(3 * 10);
    assertThat(server.bound()).isBetween(5 + 1, 5 + 3 * 10 - 1);
  }

  @Test
  void shouldCountWrongSignatures() throws Exception {
    LoadReport report = people(new ScramServer(Kind.WRONG_SIGNATURE_LATER), JobKind.BIND, Mix.NONE);
    int trusted = ScramServer.TRUSTED_BINDS - 5;
    assertThat(report.operations()).isEqualTo(trusted);
    assertThat(report.wrongAnswers()).isEqualTo(30 - trusted);
    assertThat(report.wrongExample())
        .isEqualTo(
            "a bind by SCRAM was answered by success, but the server is not to be trusted: wrong"
                + " signature of the server");
  }

  @Test
  void shouldNotBeginWithPeopleWhoCannotBind() throws Exception {
    try (StubServer server = StubServer.start(new ScramServer(Kind.HONEST))) {
      assertThat(run(server, "bind", "--people-mechanism=SCRAM-SHA-256", "--people-user=another"))
          .isEqualTo(ExitCode.FAILED);
    }
    assertThat(tester.err())
        .contains("bind as another by SCRAM: the server answered invalidCredentials (49)");
  }

  /**
   * The second half of a bind comes too late, so that the next one takes another connection. When
   * seven binds have ended, three of the next nine are dropped, whichever connection sends them.
   */
  @Test
  void shouldGoOnAfterTimeOuts() throws Exception {
    ScramServer honest = new ScramServer(Kind.HONEST);
    AtomicInteger begun = new AtomicInteger();
    StubServer.Behaviour silent =
        (request, number, out) -> {
          String message = request.getBindRequestProtocolOp().getSASLCredentials().stringValue();
          int late = honest.bound() >= 7 && message.startsWith("n,") ? begun.incrementAndGet() : 0;
          boolean isDropped = late > 0 && late <= 9 && late % 3 == 0;
          if (!isDropped) {
            honest.answer(request, number, out);
          }
        };
    try (StubServer server = StubServer.start(silent)) {
      int exit = run(server, "bind", "--people-mechanism=SCRAM-SHA-256", "--time-out=2");
      assertThat(exit).isEqualTo(ExitCode.FAILED);
    }
    assertThat(tester.out())
        .contains(" x timed out")
        .doesNotContain("result code", "(49)", "wrong answer");
    assertThat(tester.out()).contains("lost connections: 0");
    assertThat(honest.bound()).as("goes on to its end").isGreaterThanOrEqualTo(5 + 3 * 10);
  }
}
