package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.nyala.core.DirectoryServer;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.netty.WireSettings.Listener;
import org.nyala.netty.WireSettings.Transport;
import org.nyala.netty.WireSettings.WaterMarks;
import org.nyala.netty.tls.TlsSettings;

/**
 * A server on real sockets, with real event loops and real strategies; its counters must agree when
 * it is closed.
 */
abstract class NettyLdapServerTestCase {
  static final List<String> STRATEGIES = DispatchStrategies.OFFERED;

  final TestDirectory directory = new TestDirectory();
  final List<AutoCloseable> opened = new ArrayList<>();
  DirectoryServer core;
  NettyLdapServer server;

  /** The decoder of requests; set before the start. */
  WireSettings.Codec codec = WireSettings.Codec.DIRECT;

  /** The clock of the timeouts, in nanoseconds; set before the start. */
  LongSupplier nanoClock = System::nanoTime;

  static WireSettings settings(Transport transport, int connections, long timeoutMillis) {
    return new WireSettings(
        List.of(new Listener("127.0.0.1", 0), new Listener("127.0.0.1", 0)),
        transport,
        new WireSettings.Loops(2, 1),
        new WireSettings.PduLimits(64 * 1024, 1 << 20),
        new WireSettings.Connections(connections, 0),
        new WireSettings.Timeouts(timeoutMillis, 0, timeoutMillis, 60_000),
        new WaterMarks(64 * 1024, 256 * 1024),
        WireSettings.Table.PER_LOOP,
        WireSettings.Rates.DEFAULT,
        WireSettings.Codec.DIRECT,
        TlsSettings.NONE);
  }

  void start(WireSettings settings, String strategy) throws IOException {
    core = directory.server(TestDirectory.strategy(strategy));
    opened.add(core);
    server = NettyLdapServer.start(core, settings.with(draft -> draft.codec = codec), nanoClock);
    opened.add(server);
  }

  void start() throws IOException {
    start(settings(Transport.AUTO, 0, 0), "run-to-completion");
  }

  TestClient connect() throws IOException {
    TestClient client = new TestClient(server.addresses().getFirst());
    opened.add(client);
    return client;
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
    if (core != null) {
      assertThat(core.metrics().connectionsClosed().sum())
          .isEqualTo(core.metrics().connectionsOpened().sum());
      assertThat(core.metrics().internalErrors().sum()).isZero();
      assertThat(core.metrics().operationsCompleted().sum())
          .isEqualTo(core.metrics().operationsStarted().sum());
      assertThat(core.memory().held()).isZero();
    }
  }
}
