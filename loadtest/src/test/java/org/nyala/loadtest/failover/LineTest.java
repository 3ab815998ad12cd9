package org.nyala.loadtest.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.protocol.DeleteResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.engine.StubServer;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.Security;

/** A connection beside servers that are particular about message ids. */
class LineTest {
  private static Line open(StubServer server) throws IOException {
    return new Server(
            0, "ldap://stub", server.address(), new Login(Account.ANONYMOUS), 5_000, Security.NONE)
        .open();
  }

  private static byte[] success(int messageId) {
    return new LDAPMessage(messageId, new DeleteResponseProtocolOp(0, null, null, null))
        .encode()
        .encode();
  }

  /** OpenDJ still has the id of a request for a moment after it was answered. */
  @Test
  void shouldUseAnotherMessageIdForEachRequest() throws Exception {
    List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    try (StubServer server =
            StubServer.start(
                (request, _, out) -> {
                  seen.add(request.getMessageID());
                  out.write(success(request.getMessageID()));
                });
        Line line = open(server)) {
      for (int i = 0; i < 300; i++) {
        assertThat(line.ask(Pdu.delete("ou=1")).isSuccess()).isTrue();
      }
    }
    assertThat(seen).hasSize(300).doesNotHaveDuplicates();
  }

  @Test
  void shouldNotTakeTheAnswerToAnotherRequest() throws Exception {
    try (StubServer server =
            StubServer.start((request, _, out) -> out.write(success(request.getMessageID() + 1)));
        Line line = open(server)) {
      assertThatThrownBy(() -> line.ask(Pdu.delete("ou=1")))
          .isInstanceOf(IOException.class)
          .hasMessage("the server answered a request that it was not sent");
    }
  }
}
