package org.nyala.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
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

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.core.SilentLog;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.RecordingClient.Answer;

class SessionTest {
  static final List<String> STRATEGIES = DispatchStrategies.OFFERED;

  private static SessionFixture striped(int inFlight, int deferred) {
    return new SessionFixture("striped", 1, 100, limits(inFlight, deferred));
  }

  private static List<Integer> answered(RecordingClient client) {
    return client.onLoop(() -> client.answers.stream().map(Answer::messageId).toList());
  }

  private static void assertIdle(SessionFixture fixture, RecordingClient client) {
    awaitIdle("client", client);
    fixture.awaitIdle();
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldAnswerEveryRequestOnce(String strategy) {
    try (SessionFixture fixture = new SessionFixture(strategy, 2, 8, limits(4, 8))) {
      RecordingClient client = fixture.open();
      List<Request> requests = new ArrayList<>();
      for (String script : List.of("quick", "slices", "stream", "hash")) {
        for (int i = 0; i < 10; i++) {
          requests.add(search(requests.size() + 1, script));
        }
      }
      client.send(requests.toArray(Request[]::new));
      eventually("all answered", () -> answered(client).size() == 40);
      assertIdle(fixture, client);
      assertThat(answered(client))
          .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, 40).boxed().toList());
      assertThat(client.references).hasValue(10 * SessionFixture.STREAM_LENGTH);
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldAnswerWhateverAnOperationThrows(String strategy) {
    try (SilentLog _ = new SilentLog(Operation.class.getName());
        SessionFixture fixture = new SessionFixture(strategy, 1, 1, limits(4, 8))) {
      RecordingClient client = fixture.open();
      client.send(search(1, "refused"), search(2, "broken"), search(3, "exhausted"));
      eventually("all answered", () -> answered(client).size() == 3);
      assertIdle(fixture, client);
      assertThat(client.onLoop(() -> List.copyOf(client.answers)))
          .containsExactlyInAnyOrder(
              new Answer(1, ResultCode.BUSY),
              new Answer(2, ResultCode.OTHER),
              new Answer(3, ResultCode.BUSY));
      assertThat(fixture.metrics.internalErrors().sum()).isEqualTo(2);
    }
  }

  @Test
  void shouldTellWhetherItsClientWaitsForMoreThanOneAnswer() {
    try (SessionFixture fixture = new SessionFixture("run-to-completion", 1, 1, limits(2, 8))) {
      RecordingClient client = fixture.open();
      client.send(search(1, "whether"), search(2, "whether"));
      client.reads = false;
      client.send(search(3, "stream"));
      client.send(search(4, "whether"));
      client.read();
      assertIdle(fixture, client);
      client.send(search(5, "whether"));
      assertThat(fixture.werePipelined)
          .containsOnly(
              entry(key(1, 1), true),
              entry(key(1, 2), false),
              entry(key(1, 4), true),
              entry(key(1, 5), false));
    }
  }

  @Test
  void shouldAbandonWhatRunsAndDropWhatIsDeferredWhenABindArrives() {
    try (SessionFixture fixture = striped(2, 8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"), search(2, "quick"), search(3, "quick"));
      await(fixture.started);
      client.send(bind(4, "quick"), search(5, "quick"));
      fixture.gate.countDown();
      eventually("5 answered", () -> answered(client).contains(5));
      assertIdle(fixture, client);
      assertThat(answered(client)).containsExactly(4, 5);
      assertThat(fixture.metrics.operationsAbandoned().sum()).isEqualTo(2);
    }
  }

  @Test
  void shouldCountWhatIsDeferredWhateverBecomesOfIt() {
    try (SessionFixture fixture = striped(1, 8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"), search(2, "quick"), search(3, "quick"), search(4, "quick"));
      await(fixture.started);
      assertThat(deferred(client)).isEqualTo(3);
      client.send(abandon(5, 2));
      assertThat(deferred(client)).isEqualTo(2);
      client.send(cancel(6, 3));
      assertThat(deferred(client)).isEqualTo(1);
      client.send(bind(7, "quick"));
      assertThat(deferred(client)).as("of the bind").isEqualTo(1);
      fixture.gate.countDown();
      eventually("7 answered", () -> answered(client).contains(7));
      assertIdle(fixture, client);
      assertThat(deferred(client)).isZero();
      assertThat(answered(client)).containsExactly(3, 6, 7);
    }
  }

  private static int deferred(RecordingClient client) {
    return client.onLoop(() -> client.session.status().pending());
  }

  @Test
  void shouldHoldBackWhatFollowsABindAndRunItAsWhoWasBound() {
    try (SessionFixture fixture = striped(8, 8)) {
      RecordingClient client = fixture.open();
      BoundIdentity identity = somebody();
      fixture.establishes.put(key(client.number(), 1), identity);
      client.send(bind(1, "gate"), search(2, "quick"));
      await(fixture.started);
      assertThat(client.<Integer>onLoop(client.session::inFlightCount)).isEqualTo(1);
      fixture.gate.countDown();
      eventually("2 answered", () -> answered(client).contains(2));
      assertThat(fixture.ranAs.get(key(client.number(), 2))).isSameAs(identity);
      assertThat(fixture.ranAs.get(key(client.number(), 1))).isSameAs(BoundIdentity.ANONYMOUS);
      assertIdle(fixture, client);
    }
  }

  @Test
  void shouldBeAnonymousAfterABindThatFailed() {
    try (SessionFixture fixture = striped(8, 8)) {
      RecordingClient client = fixture.open();
      fixture.establishes.put(key(client.number(), 1), somebody());
      client.send(bind(1, "quick"), bind(2, "refused"), search(3, "quick"));
      eventually("3 answered", () -> answered(client).contains(3));
      assertThat(fixture.ranAs.get(key(client.number(), 3))).isSameAs(BoundIdentity.ANONYMOUS);
      assertIdle(fixture, client);
    }
  }

  @Test
  void shouldBeAnonymousAfterABindThatCouldNotBeRead() {
    try (SessionFixture fixture = striped(8, 8)) {
      RecordingClient client = fixture.open();
      fixture.establishes.put(key(client.number(), 1), somebody());
      client.send(bind(1, "quick"));
      eventually("1 answered", () -> answered(client).contains(1));
      client.send(search(2, "gate"));
      await(fixture.started);
      client.onLoop(
          () -> {
            client.session.becomeAnonymous();
            return true;
          });
      fixture.gate.countDown();
      client.send(search(3, "quick"));
      eventually("3 answered", () -> answered(client).contains(3));
      assertThat(fixture.ranAs.get(key(client.number(), 3))).isSameAs(BoundIdentity.ANONYMOUS);
      assertThat(answered(client)).doesNotContain(2);
      assertIdle(fixture, client);
    }
  }

  @Test
  void shouldNotLetAnAbandonedBindEstablishAnybody() {
    try (SessionFixture fixture = striped(8, 8)) {
      RecordingClient client = fixture.open();
      fixture.establishes.put(key(client.number(), 1), somebody());
      client.send(bind(1, "gate"));
      await(fixture.started);
      client.send(bind(2, "refused"), search(3, "quick"));
      fixture.gate.countDown();
      eventually("3 answered", () -> answered(client).contains(3));
      assertThat(fixture.ranAs.get(key(client.number(), 3))).isSameAs(BoundIdentity.ANONYMOUS);
      assertThat(answered(client)).containsExactly(2, 3);
      assertIdle(fixture, client);
    }
  }

  @Test
  void shouldLetAbandonOvertakeAndSuppressTheAnswer() {
    try (SessionFixture fixture = striped(1, 8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"), search(2, "quick"), search(3, "quick"));
      await(fixture.started);
      client.send(abandon(4, 2), abandon(5, 1));
      fixture.gate.countDown();
      eventually("3 answered", () -> answered(client).contains(3));
      assertIdle(fixture, client);
      assertThat(answered(client)).containsExactly(3);
      assertThat(client.<Integer>onLoop(() -> client.suppressedLate)).isEqualTo(1);
    }
  }

  @Test
  void shouldNotAbandonABind() {
    try (SessionFixture fixture = striped(8, 8)) {
      RecordingClient client = fixture.open();
      client.send(bind(1, "gate"));
      await(fixture.started);
      client.send(abandon(2, 1));
      fixture.gate.countDown();
      eventually("answered", () -> answered(client).contains(1));
      assertIdle(fixture, client);
    }
  }

  @Test
  void shouldLetUnbindOvertake() {
    try (SessionFixture fixture = striped(1, 8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"), search(2, "quick"));
      await(fixture.started);
      client.send(unbind(3));
      assertThat(client.<Boolean>onLoop(() -> client.disconnected)).isTrue();
      assertThat(client.onLoop(() -> client.session.wantsRequests())).isFalse();
      fixture.gate.countDown();
      assertIdle(fixture, client);
      assertThat(answered(client)).isEmpty();
    }
  }

  @Test
  void shouldStartNoMoreThanTheInFlightBound() {
    try (SessionFixture fixture = striped(3, 8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"));
      client.send(search(2, "quick"), search(3, "quick"), search(4, "quick"), search(5, "quick"));
      assertThat(client.<Integer>onLoop(client.session::inFlightCount)).isEqualTo(3);
      fixture.gate.countDown();
      eventually("all answered", () -> answered(client).size() == 5);
      assertThat(answered(client)).containsExactly(1, 2, 3, 4, 5);
      assertIdle(fixture, client);
    }
  }

  @Test
  void shouldStopReadingAtTheDeferredBoundAndResume() {
    try (SessionFixture fixture = striped(1, 2)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"));
      client.send(
          IntStream.rangeClosed(2, 11).mapToObj(id -> search(id, "quick")).toArray(Request[]::new));
      assertThat(client.<Integer>onLoop(client::unread)).isEqualTo(8);
      fixture.gate.countDown();
      eventually("all answered", () -> answered(client).size() == 11);
      assertThat(answered(client)).isEqualTo(IntStream.rangeClosed(1, 11).boxed().toList());
      assertIdle(fixture, client);
    }
  }

  @Test
  void shouldStopReadingWhileAnOperationWaitsForAPermit() {
    try (SessionFixture fixture = new SessionFixture("striped", 1, 1, limits(8, 8))) {
      RecordingClient holder = fixture.open();
      RecordingClient waiter = fixture.open();
      holder.send(search(1, "gate"));
      await(fixture.started);
      waiter.send(search(1, "quick"), search(2, "quick"));
      assertThat(waiter.<Integer>onLoop(waiter::unread)).isEqualTo(1);
      assertThat(waiter.<Integer>onLoop(waiter.session::inFlightCount)).isEqualTo(1);
      fixture.gate.countDown();
      eventually("all answered", () -> answered(waiter).size() == 2);
      assertThat(waiter.<Integer>onLoop(() -> waiter.resumes)).isPositive();
      assertIdle(fixture, waiter);
    }
  }

  @Test
  void shouldEndWhatWaitsForAPermitOfAClosedConnection() {
    try (SessionFixture fixture = new SessionFixture("striped", 1, 1, limits(8, 8))) {
      RecordingClient holder = fixture.open();
      RecordingClient waiter = fixture.open();
      holder.send(search(1, "gate"));
      await(fixture.started);
      waiter.send(search(1, "quick"));
      waiter.breakOff();
      fixture.gate.countDown();
      awaitIdle("waiter", waiter);
      assertIdle(fixture, holder);
      assertThat(answered(waiter)).isEmpty();
      assertThat(fixture.ranAs).doesNotContainKey(key(waiter.number(), 1));
    }
  }

  @Test
  void shouldDisconnectAClientThatUsesAMessageIdTwiceAtOnce() {
    for (int reused : List.of(1, 2)) {
      try (SessionFixture fixture = striped(1, 8)) {
        RecordingClient client = fixture.open();
        client.send(search(1, "gate"), search(2, "quick"), search(reused, "quick"));
        assertThat(client.onLoop(() -> Objects.requireNonNull(client.notice).code()))
            .isEqualTo(ResultCode.PROTOCOL_ERROR);
        fixture.gate.countDown();
        assertIdle(fixture, client);
        assertThat(answered(client)).isEmpty();
      }
    }
  }

  @Test
  void shouldTakeAMessageIdAgainOnceItIsFree() {
    try (SessionFixture fixture = striped(8, 8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "quick"));
      eventually("answered", () -> answered(client).size() == 1);
      client.send(search(1, "gate"));
      await(fixture.started);
      client.send(abandon(2, 1), search(1, "quick"));
      fixture.gate.countDown();
      eventually("answered again", () -> answered(client).size() == 2);
      assertIdle(fixture, client);
      assertThat(answered(client)).containsExactly(1, 1);
    }
  }

  @Test
  void shouldAbandonTheNewerOfTwoOperationsThatShareAnId() {
    try (SessionFixture fixture = striped(8, 8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"));
      await(fixture.started);
      client.send(abandon(2, 1), search(1, "quick"), abandon(3, 1), search(4, "quick"));
      fixture.gate.countDown();
      eventually("answered", () -> answered(client).contains(4));
      assertIdle(fixture, client);
      assertThat(answered(client)).containsExactly(4);
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldWaitForASlowClientWithoutAPermitAndGoOn(String strategy) {
    try (SessionFixture fixture = new SessionFixture(strategy, 1, 1, limits(8, 8))) {
      RecordingClient client = fixture.open();
      client.reads = false;
      client.send(search(1, "stream"), search(2, "stream"), search(3, "stream"));
      client.send(search(4, "quick"));
      eventually("4 answered", () -> answered(client).contains(4));
      eventually("nothing holds a permit", () -> fixture.strategy.inFlight() == 0);
      assertThat(answered(client)).containsExactly(4);
      client.read();
      eventually("all answered", () -> answered(client).size() == 4);
      assertIdle(fixture, client);
      assertThat(client.references).hasValue(3 * SessionFixture.STREAM_LENGTH);
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldEndWhatWaitsForAClientThatGoes(String strategy) {
    try (SessionFixture fixture = new SessionFixture(strategy, 1, 1, limits(8, 8))) {
      RecordingClient client = fixture.open();
      client.reads = false;
      client.send(search(1, "stream"), search(2, "stream"));
      eventually("nothing holds a permit", () -> fixture.strategy.inFlight() == 0);
      client.breakOff();
      assertIdle(fixture, client);
      assertThat(answered(client)).isEmpty();
      assertThat(fixture.metrics.operationsAbandoned().sum()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldGoOnUnderAnotherStrategyAfterTheirOwnIsClosed(String strategy) {
    try (SessionFixture fixture = new SessionFixture(strategy, 1, 1, limits(8, 8))) {
      RecordingClient client = fixture.open();
      client.reads = false;
      client.send(search(1, "stream"), search(2, "stream"));
      eventually("nothing holds a permit", () -> fixture.strategy.inFlight() == 0);
      DispatchStrategy before = fixture.strategy;
      fixture.strategy = SessionFixture.strategy("striped", 1, 1);
      before.close();
      client.read();
      eventually("all answered", () -> answered(client).size() == 2);
      assertIdle(fixture, client);
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldStillEndEverythingAfterItsStrategyIsClosed(String strategy) {
    try (SessionFixture fixture = new SessionFixture(strategy, 1, 1, limits(8, 8))) {
      RecordingClient client = fixture.open();
      client.reads = false;
      client.send(search(1, "stream"));
      eventually("nothing holds a permit", () -> fixture.strategy.inFlight() == 0);
      fixture.strategy.close();
      client.read();
      client.send(search(2, "slices"), search(3, "hash"), search(4, "quick"));
      eventually("all answered", () -> answered(client).size() == 4);
      assertIdle(fixture, client);
    }
  }

  @Test
  void shouldSendNoticesUntilTheConnectionEnds() {
    try (SessionFixture fixture = striped(4, 8)) {
      RecordingClient client = fixture.open();
      client.session.sendNotice(LdapResult.SUCCESS, "1.2.3", null);
      eventually("noticed", () -> client.onLoop(() -> client.notices.size()) == 1);
      client.breakOff();
      client.session.sendNotice(LdapResult.SUCCESS, "1.2.4", null);
      assertThat(client.<List<String>>onLoop(() -> List.copyOf(client.notices)))
          .containsExactly("1.2.3");
    }
  }
}
