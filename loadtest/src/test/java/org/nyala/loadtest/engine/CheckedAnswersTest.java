package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadRate;

/** Tests that answers which do not match their requests are counted as errors. */
@Timeout(300)
class CheckedAnswersTest {
  private static final int CONNECTIONS = 4;

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
