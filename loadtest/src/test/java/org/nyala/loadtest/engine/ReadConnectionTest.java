package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadTestException;

/** Single searches, answered rightly, wrongly or never. */
class ReadConnectionTest {
  private static ReadConnection open(StubServer server, double patienceSeconds) {
    return new ReadConnection(
        server.settings(JobKind.SEARCH, 1, 1, LoadRate.CLOSED), patienceSeconds);
  }

  private static List<ReadConnection.Entry> search(ReadConnection connection) throws Exception {
    return connection.search("cn=a", ReadConnection.SUBTREE, ReadConnection.ANYTHING, "cn");
  }

  private static SearchResultEntryProtocolOp entry(String name, String value) {
    return new SearchResultEntryProtocolOp(name, List.of(new Attribute("CN", value)));
  }

  @Test
  void shouldSearchAgainAndAgain() throws Exception {
    StubServer.Behaviour behaviour =
        (request, number, out) ->
            out.write(
                StubServer.answer(
                    request.getMessageID(), entry("cn=a", "first"), entry("cn=b", "" + number)));
    try (StubServer server = StubServer.start(behaviour);
        ReadConnection connection = open(server, 60)) {
      for (int i = 0; i < 3; i++) {
        List<ReadConnection.Entry> entries = search(connection);
        assertThat(entries).extracting(ReadConnection.Entry::dn).containsExactly("cn=a", "cn=b");
        assertThat(entries.getLast().first("cn")).isEqualTo("" + i);
        assertThat(entries.getLast().first("sn")).isEmpty();
      }
    }
  }

  @Test
  void shouldSayTheResultCode() throws Exception {
    StubServer.Behaviour behaviour =
        (request, number, out) ->
            out.write(
                StubServer.encode(
                    request.getMessageID(),
                    new SearchResultDoneProtocolOp(number == 0 ? 50 : 0, null, null, null)));
    try (StubServer server = StubServer.start(behaviour);
        ReadConnection connection = open(server, 60)) {
      assertThatThrownBy(() -> search(connection))
          .isInstanceOf(LoadTestException.class)
          .hasMessage("the server answered insufficientAccessRights (50)");
      assertThat(search(connection)).isEmpty();
    }
  }

  @Test
  void shouldSayThatThereIsNoAnswer() throws Exception {
    try (StubServer server = StubServer.start((_, _, _) -> {});
        ReadConnection connection = open(server, 0.2)) {
      assertThatThrownBy(() -> search(connection))
          .isInstanceOf(LoadTestException.class)
          .hasMessage("no answer in 0.2 s");
    }
  }

  @Test
  void shouldGiveUpAnAnswerThatIsTooLong() throws Exception {
    SearchResultEntryProtocolOp big = entry("cn=a", "x".repeat(1 << 20));
    StubServer.Behaviour behaviour =
        (request, _, out) -> {
          for (int i = 0; i < 9; i++) {
            out.write(StubServer.encode(request.getMessageID(), big));
          }
        };
    try (StubServer server = StubServer.start(behaviour);
        ReadConnection connection = open(server, 60)) {
      assertThatThrownBy(() -> search(connection))
          .isInstanceOf(LoadTestException.class)
          .hasMessage("the answer has more than 8388608 bytes");
    }
  }

  /** An answer that is cut anywhere, and then the end of the connection. */
  @Test
  void shouldFailAtAnAnswerThatIsCut() throws Exception {
    byte[] whole = StubServer.answer(1, entry("cn=a", "value"));
    for (int length = 0; length < whole.length; length += 3) {
      byte[] cut = Arrays.copyOf(whole, length);
      StubServer.Behaviour behaviour =
          (_, _, out) -> {
            out.write(cut);
            out.close();
          };
      try (StubServer server = StubServer.start(behaviour);
          ReadConnection connection = open(server, 60)) {
        assertThatThrownBy(() -> search(connection)).isInstanceOf(LoadTestException.class);
      }
    }
  }
}
