package org.nyala.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.server.RunningServer;

/** A server that encrypts, which is at rest when its clients have gone. */
abstract class TlsServerTestCase {
  @TempDir Path folder;

  RunningServer server;

  @AfterEach
  void stop() {
    server.close();
  }

  final ServerMetrics metrics() {
    return server.served().directory().metrics();
  }

  final void shouldBeAtRest() {
    eventually("every connection has ended", () -> server.served().wire().connectionCount() == 0);
    eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
    // A search that waits for changes ends after its connection.
    eventually("no operation runs", () -> server.served().directory().inFlight() == 0);
    assertThat(metrics().internalErrors().sum()).isZero();
  }
}
