package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.Latency;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.OperationFixture;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionEnvironment;
import org.nyala.core.session.SessionListener;

/** Tests the counters of an operation's slices, with a clock that the test moves. */
class OperationSlicesTest {
  private static final SliceBudget BUDGET = new SliceBudget(10, Long.MAX_VALUE / 4);
  private static final long WAIT_NANOS = 1_000_000;

  private final ServerMetrics metrics = new ServerMetrics();
  private long now = 100;
  private int looks;

  private final RecordingSink sink = new RecordingSink(10);

  private long read() {
    looks++;
    return now;
  }

  private Operation operation(OperationBody body) {
    DirectoryOperations none =
        new DirectoryOperations(
            OperationFixture.SCHEMA,
            List.of(),
            new AccessPolicy(false),
            ServerLimits.DEFAULT,
            RootAccounts.NONE,
            () -> 0,
            UpdateSettings.READ_ONLY);
    Session session =
        new Session(
            new SessionEnvironment(
                none,
                () -> null,
                () -> ServerLimits.DEFAULT,
                metrics,
                this::read,
                SessionListener.NONE,
                MemoryBudget.ofHeap(this::read)),
            new SilentClient(false));
    looks = 0;
    return operation(session, body);
  }

  private Operation operation(Session session, OperationBody body) {
    Request request = new Request.Delete(1, "ou=a", List.of());
    return new Operation(session, request, body, sink, OperationFixture.ROOT, now, 7);
  }

  /** Returns a body whose slices take the given times, and of which the last one ends as given. */
  private OperationBody taking(Outcome end, long... nanos) {
    int[] slice = {0};
    return (operation, _) -> {
      now += nanos[slice[0]++];
      if (slice[0] < nanos.length) {
        return Outcome.YIELDED;
      }
      if (end == Outcome.DONE) {
        operation.sink().result(operation.request(), LdapResult.SUCCESS);
      }
      return end;
    };
  }

  private Latency times() {
    return metrics.operations().slices().times(OperationType.DELETE);
  }

  private long longestNanos() {
    return metrics.operations().slices().longestNanos(OperationType.DELETE);
  }

  @Test
  void shouldMeasureWhatEndsWhereItBeganWithoutALookAtTheClockOfItsOwn() {
    sink.onLoop = true;
    Operation operation = operation(taking(Outcome.DONE, 5000));
    assertThat(operation.run(BUDGET)).isEqualTo(Outcome.DONE);
    assertThat(looks).isEqualTo(1);
    assertThat(times().count()).isEqualTo(1);
    assertThat(times().sumNanos()).isEqualTo(5000);
    assertThat(longestNanos()).isEqualTo(5000);
  }

  @Test
  void shouldMeasureEachSliceAndNotTheWaitsBetweenThem() {
    Operation operation = operation(taking(Outcome.DONE, 3000, 9000, 2000));
    for (int i = 0; i < 3; i++) {
      now += WAIT_NANOS;
      assertThat(operation.run(BUDGET)).isEqualTo(i < 2 ? Outcome.YIELDED : Outcome.DONE);
    }
    assertThat(looks).isEqualTo(6);
    assertThat(times().count()).isEqualTo(3);
    assertThat(times().sumNanos()).isEqualTo(14_000);
    assertThat(longestNanos()).isEqualTo(9000);
  }

  @Test
  void shouldMeasureUntilAnOperationIsGivenAway() {
    Operation operation = operation(taking(Outcome.PARKED, 4000));
    now += WAIT_NANOS;
    assertThat(operation.run(BUDGET)).isEqualTo(Outcome.PARKED);
    now += WAIT_NANOS;
    operation.finish(LdapResult.SUCCESS);
    assertThat(times().count()).isEqualTo(1);
    assertThat(times().sumNanos()).isEqualTo(4000);
  }

  @Test
  void shouldMeasureWhatFailed() {
    Operation operation =
        operation(
            (_, _) -> {
              now += 6000;
              throw new LdapOperationException(LdapResult.of(ResultCode.BUSY));
            });
    operation.run(BUDGET);
    assertThat(longestNanos()).isEqualTo(6000);
  }

  @Test
  void shouldLeaveOutSlowHashesAndWhatNeverRan() {
    Operation operation = operation(taking(Outcome.DONE, 2000, 70_000_000));
    operation.moveTo(Lane.READ);
    operation.run(BUDGET);
    operation.moveTo(Lane.HASH);
    operation.run(BUDGET);
    assertThat(times().count()).isEqualTo(1);
    assertThat(longestNanos()).isEqualTo(2000);
    now += WAIT_NANOS;
    operation(taking(Outcome.DONE, 1)).decline(LdapResult.of(ResultCode.BUSY));
    assertThat(times().count()).isEqualTo(1);
  }

  /** A wait that would end with a refusal is refused at once, with the time to come back. */
  @Test
  void shouldRefuseAtOnceAWaitThatWouldBeTooLong() {
    long fourSeconds = 4_000_000_000L;
    OperationBody one = hashing(fourSeconds);
    Session session = operation(one).session();
    Operation first = operation(session, one);
    assertThat(first.run(BUDGET)).isEqualTo(Outcome.YIELDED);
    assertThat(first.run(BUDGET)).isEqualTo(Outcome.DONE);
    for (int i = 0; i < 3; i++) {
      Operation waiting = operation(session, hashing(fourSeconds));
      assertThat(waiting.run(BUDGET)).as("number %d", i).isEqualTo(Outcome.YIELDED);
    }
    Operation late = operation(session, hashing(fourSeconds));
    assertThat(late.run(BUDGET)).isEqualTo(Outcome.DONE);
    assertThat(sink.results.getLast().code()).isEqualTo(ResultCode.BUSY);
    assertThat(sink.results.getLast().message())
        .isEqualTo("too many passwords wait to be checked: try again in 13 s");
    assertThat(metrics.operationsRefused().sum()).isEqualTo(1);
  }

  /** Returns a body that hashes in its second slice. */
  private OperationBody hashing(long nanos) {
    return (operation, _) -> {
      if (operation.lane() == Lane.READ) {
        operation.moveTo(Lane.HASH);
        return Outcome.YIELDED;
      }
      now += nanos;
      operation.sink().result(operation.request(), LdapResult.SUCCESS);
      return Outcome.DONE;
    };
  }
}
