package org.nyala.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.session.SessionFixture.abandon;
import static org.nyala.core.session.SessionFixture.awaitIdle;
import static org.nyala.core.session.SessionFixture.bind;
import static org.nyala.core.session.SessionFixture.cancel;
import static org.nyala.core.session.SessionFixture.key;
import static org.nyala.core.session.SessionFixture.limits;
import static org.nyala.core.session.SessionFixture.search;
import static org.nyala.core.session.SessionFixture.somebody;
import static org.nyala.core.session.SessionFixture.unbind;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.RecordingClient.Answer;

/** Tests how a worker uses a session that was lent to it: here the test's thread is the worker. */
class LentSessionTest {
  private static final SliceBudget BUDGET = new SliceBudget(1_000, 1_000_000);

  private final SessionFixture fixture = new SessionFixture("striped", 2, 1, limits(4, 8));
  private final RecordingClient client = fixture.open();

  @AfterEach
  void close() {
    fixture.close();
  }

  private void lend() {
    client.onLoop(
        () -> {
          client.session.lend();
          return true;
        });
  }

  private void takeBack() {
    client.onLoop(
        () -> {
          client.session.takeBack();
          return true;
        });
  }

  private void receive(Request... requests) {
    for (Request request : requests) {
      assertThat(client.session.wantsRequests()).isTrue();
      client.session.receive(request);
    }
  }

  private Operation own() {
    return Objects.requireNonNull(client.session.takeOwn());
  }

  private List<Integer> answered() {
    return client.onLoop(() -> client.answers.stream().map(Answer::messageId).toList());
  }

  private void assertBalanced() {
    awaitIdle("client", client);
    fixture.awaitIdle();
    assertThat(fixture.metrics.internalErrors().sum()).isZero();
  }

  @Test
  void shouldLeaveTheFirstOperationToTheWorkerAndSubmitTheOthersWithoutWaitingForPermits() {
    lend();
    assertThat(client.session.claim()).isTrue();
    receive(search(1, "quick"), search(2, "gate"), search(3, "quick"), search(4, "quick"));
    Operation own = own();
    assertThat(own.request().messageId()).isEqualTo(1);
    assertThat(client.session.takeOwn()).isNull();
    await(fixture.started);
    takeBack();
    own.run(BUDGET);
    eventually("the first is answered", () -> answered().contains(1));
    fixture.gate.countDown();
    assertBalanced();
    assertThat(answered()).containsExactlyInAnyOrder(1, 2, 3, 4);
  }

  @Test
  void shouldHoldBackWhatTheLoopHasForTheSessionUntilItIsBack() {
    lend();
    assertThat(client.session.claim()).isTrue();
    receive(search(1, "quick"), search(2, "quick"));
    Operation own = own();
    own.run(BUDGET);
    eventually("both are answered", () -> answered().size() == 2);
    assertThat(fixture.metrics.operationsCompleted().sum()).isZero();
    assertThat(client.session.inFlightCount()).isEqualTo(2);
    takeBack();
    assertBalanced();
  }

  @Test
  void shouldGoBackToTheLoopThatNeedsItBeforeTheWorkerHasCome() {
    client.send(search(1, "gate"));
    await(fixture.started);
    lend();
    fixture.gate.countDown();
    eventually("answered", () -> fixture.metrics.operationsCompleted().sum() == 1);
    assertThat(client.session.claim()).isFalse();
    takeBack();
    client.send(search(2, "quick"));
    eventually("answered", () -> answered().equals(List.of(1, 2)));
    assertBalanced();
  }

  @Test
  void shouldEndWhatAWorkerHasStartedWhenTheClientIsGoneMeanwhile() {
    lend();
    assertThat(client.session.claim()).isTrue();
    receive(search(1, "quick"), search(2, "gate"));
    Operation own = own();
    client.breakOff();
    assertThat(own.isAbandoned()).isFalse();
    takeBack();
    assertThat(own.isAbandoned()).isTrue();
    fixture.gate.countDown();
    own.run(BUDGET);
    assertBalanced();
    assertThat(answered()).isEmpty();
    assertThat(client.session.wantsRequests()).isFalse();
  }

  @Test
  void shouldDisconnectOnTheLoopWhatAWorkerFindsToEnd() {
    lend();
    assertThat(client.session.claim()).isTrue();
    receive(search(1, "quick"), unbind(2));
    assertThat(client.session.wantsRequests()).isFalse();
    assertThat(client.onLoop(() -> client.disconnected)).isFalse();
    Operation own = own();
    takeBack();
    assertThat(client.onLoop(() -> client.disconnected)).isTrue();
    assertThat(client.onLoop(() -> client.notice)).isNull();
    own.run(BUDGET);
    assertBalanced();
    assertThat(answered()).isEmpty();
  }

  @Test
  void shouldRefuseAMessageIdTwice() {
    lend();
    assertThat(client.session.claim()).isTrue();
    receive(search(1, "quick"), search(1, "quick"));
    Operation own = own();
    takeBack();
    own.run(BUDGET);
    assertThat(client.onLoop(() -> Objects.requireNonNull(client.notice).code()))
        .isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertBalanced();
  }

  @Test
  void shouldAbandonAndCancelWhatIsInTheSameBurst() {
    lend();
    assertThat(client.session.claim()).isTrue();
    receive(search(1, "quick"), abandon(2, 1), search(3, "gate"), cancel(4, 3));
    Operation own = own();
    takeBack();
    own.run(BUDGET);
    fixture.gate.countDown();
    assertBalanced();
    assertThat(answered()).containsExactlyInAnyOrder(3, 4);
    assertThat(fixture.metrics.operationsAbandoned().sum()).isEqualTo(1);
  }

  @Test
  void shouldHoldBackWhatFollowsABindThatTheWorkerRuns() {
    BoundIdentity identity = somebody();
    fixture.establishes.put(key(client.number(), 2), identity);
    lend();
    assertThat(client.session.claim()).isTrue();
    receive(search(1, "quick"), bind(2, "quick"), search(3, "quick"));
    Operation own = own();
    takeBack();
    own.run(BUDGET);
    eventually("3 answered", () -> answered().contains(3));
    assertBalanced();
    assertThat(answered()).containsExactly(2, 3);
    assertThat(fixture.ranAs.get(key(client.number(), 3))).isSameAs(identity);
  }

  @Test
  void shouldLetTheBindItselfBeTheFirst() {
    BoundIdentity identity = somebody();
    fixture.establishes.put(key(client.number(), 1), identity);
    lend();
    assertThat(client.session.claim()).isTrue();
    receive(bind(1, "quick"), search(2, "quick"));
    Operation own = own();
    takeBack();
    assertThat(answered()).isEmpty();
    own.run(BUDGET);
    eventually("2 answered", () -> answered().contains(2));
    assertBalanced();
    assertThat(fixture.ranAs.get(key(client.number(), 2))).isSameAs(identity);
  }
}
