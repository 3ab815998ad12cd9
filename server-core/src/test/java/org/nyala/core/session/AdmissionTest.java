package org.nyala.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;
import static org.nyala.core.session.SessionFixture.awaitIdle;
import static org.nyala.core.session.SessionFixture.bind;
import static org.nyala.core.session.SessionFixture.limits;
import static org.nyala.core.session.SessionFixture.search;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.RecordingClient.Answer;

/** Tests operations that wait for a permit, when they need not or cannot wait longer. */
class AdmissionTest {
  private static final int TIMEOUT_SECONDS = 10;

  /** Creates a server with one permit, which the operation at the gate has; all others wait. */
  private static SessionFixture held(String strategy, int timeoutSeconds) {
    SessionFixture fixture = new SessionFixture(strategy, 1, 1, patient(timeoutSeconds));
    fixture.open().send(search(1, "gate"));
    await(fixture.started);
    return fixture;
  }

  private static ServerLimits patient(int timeoutSeconds) {
    ServerLimits few = limits(4, 8);
    return TestLimits.with(few, TestLimits.admission(few.sessions(), timeoutSeconds));
  }

  private static List<Answer> answers(RecordingClient client) {
    return client.onLoop(() -> List.copyOf(client.answers));
  }

  private static void sweep(RecordingClient client) {
    client.onLoop(
        () -> {
          client.session.refuseOverdue();
          return true;
        });
  }

  private static void assertIdle(SessionFixture fixture) {
    fixture.gate.countDown();
    fixture.awaitIdle();
  }

  @ParameterizedTest
  @ValueSource(strings = {"striped", "virtual-threads", "load-conditioned"})
  void shouldAnswerBusyToWhatHasWaitedForTooLong(String strategy) {
    try (SessionFixture fixture = held(strategy, TIMEOUT_SECONDS)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "quick"), search(2, "quick"));
      sweep(client);
      assertThat(answers(client)).isEmpty();
      fixture.pass(TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS));
      sweep(client);
      assertThat(answers(client))
          .containsExactly(new Answer(1, ResultCode.BUSY), new Answer(2, ResultCode.BUSY));
      assertThat(fixture.strategy.inFlight()).isEqualTo(1);
      assertThat(fixture.metrics.operationsRefused().sum()).isEqualTo(2);
      // The connection is read again, and waits again.
      client.send(search(3, "quick"));
      sweep(client);
      assertThat(answers(client)).hasSize(2);
      fixture.gate.countDown();
      awaitIdle("client", client);
      assertThat(answers(client)).last().isEqualTo(new Answer(3, ResultCode.SUCCESS));
      assertIdle(fixture);
    }
  }

  @Test
  void shouldWaitForEverWhereNoTimeIsSet() {
    try (SessionFixture fixture = held("striped", 0)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "quick"));
      fixture.pass(TimeUnit.DAYS.toNanos(100));
      sweep(client);
      assertThat(answers(client)).isEmpty();
      fixture.gate.countDown();
      awaitIdle("client", client);
      assertThat(answers(client)).containsExactly(new Answer(1, ResultCode.SUCCESS));
    }
  }

  @Test
  void shouldLeaveNobodyBoundWhenABindIsRefused() {
    try (SessionFixture fixture = held("striped", TIMEOUT_SECONDS)) {
      RecordingClient client = fixture.open();
      fixture.establishes.put(SessionFixture.key(2, 1), SessionFixture.somebody());
      client.send(bind(1, "quick"));
      fixture.pass(TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS));
      sweep(client);
      assertThat(answers(client)).containsExactly(new Answer(1, ResultCode.BUSY));
      assertThat(client.onLoop(() -> client.session.identity().isAnonymous())).isTrue();
      assertIdle(fixture);
    }
  }

  @Test
  void shouldNotKeepAPlaceForConnectionsThatHaveGone() {
    try (SessionFixture fixture = held("striped", TIMEOUT_SECONDS)) {
      for (int i = 0; i < 50; i++) {
        RecordingClient client = fixture.open();
        client.send(search(1, "quick"), search(2, "quick"));
        client.breakOff();
        assertThat(fixture.strategy.inFlight()).isEqualTo(1);
        assertThat(client.onLoop(client.session::inFlightCount)).isZero();
      }
      assertIdle(fixture);
    }
  }

  @Test
  void shouldFindOneWaitingOperationAfterASwitchOfStrategies() {
    try (SessionFixture fixture = held("striped", TIMEOUT_SECONDS)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "quick"));
      var before = fixture.strategy;
      fixture.strategy = SessionFixture.strategy("striped", 1, 1);
      fixture.pass(TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS));
      sweep(client);
      assertThat(answers(client)).containsExactly(new Answer(1, ResultCode.BUSY));
      assertThat(before.inFlight()).isEqualTo(1);
      client.send(search(2, "quick"));
      awaitIdle("client", client);
      assertThat(answers(client)).last().isEqualTo(new Answer(2, ResultCode.SUCCESS));
      fixture.gate.countDown();
      before.close();
      assertIdle(fixture);
    }
  }

  @Test
  void shouldNotRefuseWhatRuns() {
    try (SessionFixture fixture = new SessionFixture("striped", 1, 1, patient(TIMEOUT_SECONDS))) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"));
      await(fixture.started);
      fixture.pass(TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS));
      sweep(client);
      fixture.gate.countDown();
      awaitIdle("client", client);
      assertThat(answers(client)).containsExactly(new Answer(1, ResultCode.SUCCESS));
      assertThat(fixture.metrics.operationsRefused().sum()).isZero();
    }
  }
}
