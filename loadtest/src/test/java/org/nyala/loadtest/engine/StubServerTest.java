package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.protocol.UnbindRequestProtocolOp;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An assertion on the thread of a connection would fail unseen. */
@Timeout(300)
class StubServerTest {
  /** Asks a server, which does not answer, and closes it. */
  private static void ask(StubServer.Behaviour behaviour, int times) throws Exception {
    try (StubServer server = StubServer.start(behaviour)) {
      for (int i = 0; i < times; i++) {
        try (LDAPConnection client = new LDAPConnection("127.0.0.1", server.address().getPort())) {
          assertThatThrownBy(() -> client.bind("cn=service", "secret"))
              .isInstanceOf(LDAPException.class);
        }
      }
    }
  }

  @Test
  void shouldTellTheFirstFailureOfItsBehaviour() {
    AssertionError error = new AssertionError("on purpose");
    IllegalStateException defect = new IllegalStateException("a defect");
    assertThatThrownBy(
            () ->
                ask(
                    (_, number, _) -> {
                      if (number == 0) {
                        throw new IOException("closed on purpose");
                      } else if (number == 1) {
                        throw error;
                      }
                      throw defect;
                    },
                    3))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("on purpose")
        .hasCause(error);
    assertThatThrownBy(
            () ->
                ask(
                    (_, _, _) -> {
                      throw defect;
                    },
                    1))
        .isInstanceOf(AssertionError.class)
        .hasCause(defect);
  }

  /** Clients that ask what server it is take their leave. */
  @Test
  void shouldEndAConnectionAtAnUnbind() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (StubServer server =
        StubServer.start(
            (request, _, out) -> {
              asked.incrementAndGet();
              out.write(StubServer.right(request));
            })) {
      try (Socket client = new Socket()) {
        client.connect(server.address());
        byte[] bind = StubServer.encode(1, new BindRequestProtocolOp("cn=service", "secret"));
        client.getOutputStream().write(bind);
        client.getOutputStream().write(StubServer.encode(2, new UnbindRequestProtocolOp()));
        assertThat(client.getInputStream().readAllBytes())
            .isEqualTo(StubServer.encode(1, new BindResponseProtocolOp(0, null, null, null, null)));
      }
      assertThat(asked).hasValue(1);
    }
  }

  @Test
  void shouldTakeConnectionsThatTheBehaviourClosesForNoFailure() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    ask(
        (_, _, _) -> {
          asked.incrementAndGet();
          throw new IOException("closed on purpose");
        },
        2);
    assertThat(asked).hasValue(2);
  }
}
