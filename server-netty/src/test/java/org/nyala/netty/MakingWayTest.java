package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.message.LdapResult;
import org.nyala.core.session.Operation;
import org.nyala.netty.WireSettings.Transport;

/** Connections that have to make way for others, and the order in which they are chosen. */
final class MakingWayTest extends NettyLdapServerTestCase {
  private static final int BIND_RESPONSE = 0x61;
  private static final int NOTICE = 0x78;

  private ConnectionHandler parked(TestClient client, String password) throws Exception {
    client.send(Pdus.bind(1, TestDirectory.PARKED, password));
    eventually("its request is under way", () -> directory.parked.size() == 1);
    return (ConnectionHandler) directory.parked.element().session().connection();
  }

  private void endParked() {
    Operation bind = directory.parked.remove();
    bind.finish(() -> bind.sink().bindResult(LdapResult.SUCCESS, null));
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldAnswerTheRequestThatHasComeSinceTheConnectionWasChosen(String strategy)
      throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    TestClient client = connect();
    ConnectionHandler chosen = parked(client, "a");
    chosen.evict();
    // Behind the eviction on its loop: an answer before it would tell nothing.
    chosen.executeLater(this::endParked);
    assertThat(client.receive()).isEqualTo(new TestClient.Response(1, BIND_RESPONSE, 0));
    assertThat(client.receive()).isEqualTo(new TestClient.Response(0, NOTICE, 51));
    assertThat(client.isAtEnd()).isTrue();
    assertThat(core.metrics().displaced().sum()).isEqualTo(1);
  }

  /** Whoever decodes and starts a request, its connection is not idle since. */
  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldBeIdleSinceTheLastRequest(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    for (String password : new String[] {"a", "a".repeat(20_000)}) {
      TestClient client = connect();
      assertThat(client.search(1, 1)).isEqualTo(1);
      long before = System.nanoTime();
      ConnectionHandler handler = parked(client, password);
      assertThat(handler.sinceNanos() - before).isNotNegative();
      assertThat(handler.use()).isEqualTo(OwnedSlots.Use.WORKING);
      endParked();
      assertThat(client.receive()).isEqualTo(new TestClient.Response(1, BIND_RESPONSE, 0));
    }
  }
}
