package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.netty.WireSettings.Transport;
import org.nyala.netty.codec.LdapTags;

/** The server from its start to its end. */
final class NettyLdapServerTest extends NettyLdapServerTestCase {
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  @ParameterizedTest
  @CsvSource({
    "EPOLL,run-to-completion",
    "EPOLL,striped",
    "EPOLL,adaptive",
    "EPOLL,virtual-threads",
    "EPOLL,multi-queue",
    "EPOLL,single-queue",
    "EPOLL,load-conditioned",
    "EPOLL,lightweight",
    "EPOLL,lightweight-conditioned",
    "NIO,lightweight",
    "NIO,run-to-completion",
    "NIO,striped",
    "IO_URING,run-to-completion",
    "IO_URING,striped"
  })
  void shouldServeSmallAndLargeAnswers(Transport transport, String strategy) throws Exception {
    org.junit.jupiter.api.Assumptions.assumeTrue(Transports.missing(transport) == null);
    start(settings(transport, 0, 0), strategy);
    try (TestClient client = connect()) {
      client.send(Pdus.bind(1, "cn=x", "pw"));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(1, 0x61, 0));
      assertThat(client.search(2, 1)).isEqualTo(1);
      assertThat(client.search(3, 20_000)).isEqualTo(20_000);
      client.send(Pdus.message(4, Pdus.element(0x4a, Pdus.utf8("cn=x"))));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(4, 0x6b, 0));
      client.send(Pdus.unbind(5));
      assertThat(client.isAtEnd()).isTrue();
    }
    assertThat(server.transport()).isEqualTo(Transports.choose(transport).label());
    if (transport != Transport.IO_URING) {
      assertThat(core.metrics().polls().sum()).as("polls").isPositive();
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldAcceptLargerMessagesAfterBind(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    byte[] large =
        Pdus.message(
            2,
            Pdus.element(
                0x68,
                Pdus.text("cn=a"),
                Pdus.element(
                    0x30,
                    Pdus.element(
                        0x30,
                        Pdus.text("photo"),
                        Pdus.element(0x31, Pdus.element(4, new byte[900_000]))))));
    try (TestClient client = connect()) {
      client.send(Pdus.bind(1, "cn=x", "pw"));
      assertThat(client.receive().code()).isZero();
      assertThat(client.send(large).receive()).isEqualTo(new TestClient.Response(2, 0x69, 0));
      client.send(
          Pdus.message(
              3,
              Pdus.element(
                  LdapTags.BIND_REQUEST,
                  Pdus.number(LdapTags.INTEGER, 3),
                  Pdus.text("cn=x"),
                  Pdus.element(0x85, Pdus.utf8("pw")))));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(3, 0x61, 7));
      client.send(java.util.Arrays.copyOf(large, 100));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(0, 0x78, 2));
    }
    try (TestClient client = connect()) {
      client.send(java.util.Arrays.copyOf(large, 100));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(0, 0x78, 2));
    }
  }

  @Test
  void shouldEndTheOldestIdleConnectionIfThereAreTooMany() throws Exception {
    start(settings(Transport.AUTO, 2, 0), "run-to-completion");
    try (TestClient first = connect();
        TestClient second = connect()) {
      assertThat(second.search(1, 1)).isEqualTo(1);
      assertThat(first.search(1, 1)).isEqualTo(1);
      try (TestClient third = connect()) {
        assertThat(second.receive()).isEqualTo(new TestClient.Response(0, 0x78, BUSY));
        assertThat(second.isAtEnd()).isTrue();
        assertThat(third.search(1, 1)).isEqualTo(1);
        assertThat(first.search(2, 1)).isEqualTo(1);
        third.send(Pdus.unbind(2));
        assertThat(third.isAtEnd()).isTrue();
      }
      eventually("one is gone", () -> server.connectionCount() == 1);
      try (TestClient next = new TestClient(server.addresses().get(1))) {
        assertThat(next.search(1, 1)).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldLetOperationsEndBeforeItCloses(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    InetSocketAddress address = server.addresses().getFirst();
    try (TestClient busy = connect();
        TestClient idle = connect()) {
      assertThat(idle.search(1, 1)).isEqualTo(1);
      busy.send(Pdus.search(1, "dc=example", 50_000));
      busy.receive();
      CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
      assertThat(busy.receiveSearch(1)).isEqualTo(49_999);
      assertThat(busy.receive()).isEqualTo(new TestClient.Response(0, 0x78, UNAVAILABLE));
      assertThat(idle.receive()).isEqualTo(new TestClient.Response(0, 0x78, UNAVAILABLE));
      assertThat(idle.isAtEnd()).isTrue();
      closing.join();
    }
    // If another process has got the port meanwhile, it does not answer.
    assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> searchAt(address)))
        .isInstanceOf(IOException.class);
  }

  private static int searchAt(InetSocketAddress address) throws IOException {
    try (TestClient client = new TestClient(address)) {
      return client.search(1, 1);
    }
  }

  @Test
  void shouldSayWhereItCannotListen() throws Exception {
    start();
    InetSocketAddress taken = server.addresses().getFirst();
    WireSettings same = WireSettings.on("127.0.0.1", taken.getPort());
    assertThat(
            org.assertj.core.api.Assertions.catchThrowable(
                () -> NettyLdapServer.start(core, same, System::nanoTime)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("127.0.0.1:" + taken.getPort());
  }
}
