package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.control.SessionTracking;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.OperationFixture;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionEnvironment;
import org.nyala.core.session.SessionListener;

/** Tests what the log and the client learn of an internal error. */
class InternalErrorTest {
  private static final Logger LOG = Logger.getLogger(Operation.class.getName());

  private final List<LogRecord> records = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          records.add(record);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private LdapResult fail(SessionTracking tracking) {
    ServerMetrics metrics = new ServerMetrics();
    Session session =
        new Session(
            new SessionEnvironment(
                new DirectoryOperations(
                    OperationFixture.SCHEMA,
                    List.of(),
                    new AccessPolicy(false),
                    ServerLimits.DEFAULT,
                    RootAccounts.NONE,
                    () -> 0,
                    UpdateSettings.READ_ONLY),
                () -> null,
                () -> ServerLimits.DEFAULT,
                metrics,
                () -> 0,
                SessionListener.NONE,
                MemoryBudget.ofHeap(() -> 0)),
            new SilentClient(false));
    RecordingSink sink = new RecordingSink(10);
    Request request = new Request.Delete(1, "ou=a", List.of());
    OperationBody body =
        (operation, _) -> {
          if (tracking != null) {
            operation.track(tracking);
          }
          throw new IllegalStateException("broken");
        };
    boolean wasLoud = LOG.getUseParentHandlers();
    LOG.setUseParentHandlers(false);
    LOG.addHandler(handler);
    try {
      new Operation(session, request, body, sink, OperationFixture.ROOT, 0, 0)
          .run(new SliceBudget(10, Long.MAX_VALUE / 4));
    } finally {
      LOG.removeHandler(handler);
      LOG.setUseParentHandlers(wasLoud);
    }
    assertThat(metrics.internalErrors().sum()).isEqualTo(1);
    return sink.results.getFirst();
  }

  @Test
  void shouldTellTheLogWhoseOperationFailedAndTheClientNothing() {
    LdapResult result = fail(new SessionTracking("192.0.2.1", "mail", "1.2.3.4", "Änne"));
    assertThat(result.code()).isEqualTo(ResultCode.OTHER);
    assertThat(result.message()).isEqualTo("internal error");
    assertThat(records)
        .singleElement()
        .satisfies(record -> assertThat(record.getThrown()).hasMessage("broken"))
        .extracting(LogRecord::getMessage)
        .asString()
        .isEqualTo(
            "internal error in Delete for address=\"192.0.2.1\" name=\"mail\""
                + " format=\"1.2.3.4\" identifier=\"Änne\"");
    fail(null);
    assertThat(records.getLast().getMessage()).isEqualTo("internal error in Delete");
  }

  @Test
  void shouldLetNoClientMakeLinesOfTheLog() {
    SessionTracking forged =
        new SessionTracking("1\nERROR all is lost", "a\"b", "\u202e\u2028", "x".repeat(1000));
    assertThat(forged.summary())
        .isEqualTo(
            "address=\"1?ERROR all is lost\" name=\"a?b\" format=\"??\" identifier=\""
                + "x".repeat(128)
                + "…\"");
  }
}
