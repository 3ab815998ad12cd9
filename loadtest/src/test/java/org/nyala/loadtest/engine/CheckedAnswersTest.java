package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.CompareResponseProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Mix;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.Replay;
import org.nyala.loadtest.workload.Targets;
import org.nyala.loadtest.workload.TestDuration;

/** Tests that answers which do not match their requests are counted as errors. */
@Timeout(300)
class CheckedAnswersTest {
  private static final int CONNECTIONS = 4;
  private static final int COMPARE_FALSE = 5;

  @Test
  void shouldCountWrongNamesAndEntriesTooMany() throws Exception {
    String parent = ",ou=People,dc=example,dc=com";
    LoadReport report =
        StubServer.run(
            (request, number, out) -> {
              String uid = StubServer.uid(request);
              String other = "user." + (Integer.parseInt(uid.substring(5)) + 1);
              out.write(
                  switch (number % 3) {
                    case 0 ->
                        StubServer.answer(
                            request.getMessageID(), StubServer.entry("uid=" + other + parent, uid));
                    case 1 -> StubServer.answer(request.getMessageID());
                    default ->
                        StubServer.answer(
                            request.getMessageID(),
                            StubServer.entry("uid=" + uid + parent, uid),
                            StubServer.entry("uid=" + uid + parent, uid));
                  });
            },
            CONNECTIONS,
            60,
            30,
            LoadRate.CLOSED);

    assertThat(report.wrongAnswers()).isEqualTo(30L * CONNECTIONS);
    assertThat(report.operations()).isZero();
  }

  @Test
  void shouldFindWrongValuesAndParentsAmongTheSampled() throws Exception {
    String[] parents = {",ou=People,dc=example,dc=com", ",ou=Others,dc=example,dc=com"};
    for (int i = 0; i < 2; i++) {
      String parent = parents[i];
      String value = i == 0 ? "nobody" : null;
      LoadReport report =
          StubServer.run(
              (request, _, out) -> {
                String uid = StubServer.uid(request);
                out.write(
                    StubServer.answer(
                        request.getMessageID(),
                        StubServer.entry("uid=" + uid + parent, value == null ? uid : value)));
              },
              1,
              60,
              2L * JobOptions.DEFAULT_CHECK_EVERY,
              LoadRate.CLOSED);

      assertThat(report.wrongAnswers()).as(parent).isEqualTo(2);
      assertThat(report.operations()).isEqualTo(2L * JobOptions.DEFAULT_CHECK_EVERY - 2);
    }
  }

  @Test
  void shouldTakeNamesWithSpacesAndCapitalsForTheSame() throws Exception {
    LoadReport report =
        StubServer.run(
            (request, _, out) -> {
              String uid = StubServer.uid(request);
              String dn = "UID=" + uid + ", OU=people,  dc=Example,dc=com";
              out.write(StubServer.answer(request.getMessageID(), StubServer.entry(dn, uid)));
            },
            1,
            60,
            100,
            LoadRate.CLOSED);

    assertThat(report.errors()).isEmpty();
  }

  @Test
  void shouldNameAComparisonThatWasFalse() throws Exception {
    try (StubServer server =
        StubServer.start(
            (request, _, out) ->
                out.write(
                    StubServer.encode(
                        request.getMessageID(),
                        new CompareResponseProtocolOp(COMPARE_FALSE, null, null, null))))) {
      LoadReport report =
          LoadRun.run(
              StubServer.bounded(
                  server.settings(JobKind.COMPARE, CONNECTIONS, 60, LoadRate.CLOSED), 10));

      assertThat(report.wrongAnswers()).isEqualTo(10L * CONNECTIONS);
      assertThat(report.wrongExample())
          .matches("the comparison of uid=user\\.\\d+ with its own value was answered by false");
    }
  }

  /** An entry in an answer to a logged search has a name, whatever the search was for. */
  @Test
  void shouldNameALoggedSearchWhoseAnswerHasAnEntryWithoutAName(@TempDir Path folder)
      throws Exception {
    Path log =
        Files.writeString(
            folder.resolve("access.log"),
            "2026-11-21T10:15:30.100000Z conn=1 op=0 SRCH base=\""
                + People.DEFAULT_PARENT
                + "\" scope=2 deref=0 filter=\"(uid=user.1)\"\n");
    Replay.Rules rules =
        new Replay.Rules(Account.ANONYMOUS, People.DEFAULT_PARENT, "description", false);
    JobOptions options =
        new JobOptions(
            "description",
            "uid",
            1,
            1,
            Targets.PEOPLE.inOrder(Targets.Order.SEQUENTIAL, 1),
            Mix.NONE,
            Replay.read(log, 1, rules),
            1);
    try (StubServer server =
        StubServer.start(
            (request, _, out) ->
                out.write(
                    StubServer.answer(request.getMessageID(), StubServer.entry("", "user.1"))))) {
      LoadReport report =
          LoadRun.run(
              new LoadSettings(
                  JobKind.REPLAY,
                  server.address(),
                  1,
                  1,
                  new TestDuration(60, 0, 0),
                  People.of(1),
                  Account.ANONYMOUS,
                  0,
                  options));

      assertThat(report.wrongAnswers()).isEqualTo(1);
      assertThat(report.wrongExample())
          .isEqualTo("an entry in the answer to a logged search is not well-formed");
    }
  }

  @Test
  void shouldRejectAnswersThatNobodyAskedFor() throws Exception {
    LoadReport report =
        StubServer.run(
            (request, number, out) ->
                out.write(
                    number % 2 == 0
                        ? StubServer.right(request)
                        : StubServer.encode(
                            request.getMessageID() + 1,
                            new SearchResultDoneProtocolOp(0, null, null, null))),
            1,
            100,
            10,
            LoadRate.CLOSED);

    assertThat(report.errors().get("malformedAnswer")).isPositive();
    assertThat(report.operations()).isEqualTo(10);
  }
}
