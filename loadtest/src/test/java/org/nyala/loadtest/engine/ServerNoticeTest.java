package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.ExtendedResponseProtocolOp;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;

/** Unsolicited notifications of a server (RFC 4511, section 4.4). */
@Timeout(300)
class ServerNoticeTest {
  private static final String DISCONNECTION = "1.3.6.1.4.1.1466.20036";
  private static final int UNAVAILABLE = 52;

  @Test
  void shouldTakeANoticeOfDisconnectionForALostConnection() throws Exception {
    byte[] notice =
        StubServer.encode(
            0,
            new ExtendedResponseProtocolOp(
                UNAVAILABLE, null, "the server is shutting down", null, DISCONNECTION, null));
    StubServer.Behaviour leaving =
        (request, number, out) -> {
          if (number % 5 == 4) {
            out.write(notice);
            throw new IOException("closed on purpose");
          }
          out.write(StubServer.right(request));
        };
    try (StubServer server = StubServer.start(leaving)) {
      LoadSettings settings = server.settings(JobKind.SEARCH, 2, 100, new LoadRate(0, 1, 60, 1));
      LoadReport report = LoadRun.run(StubServer.bounded(settings, 20));
      assertThat(report.operations()).isEqualTo(40);
      assertThat(report.lostConnections()).isPositive();
      assertThat(report.errors().keySet())
          .isSubsetOf("connectionLost", "interrupted", "unanswered");
    }
  }
}
