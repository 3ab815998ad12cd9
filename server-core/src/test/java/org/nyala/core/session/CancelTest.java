package org.nyala.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.session.SessionFixture.abandon;
import static org.nyala.core.session.SessionFixture.awaitIdle;
import static org.nyala.core.session.SessionFixture.bind;
import static org.nyala.core.session.SessionFixture.cancel;
import static org.nyala.core.session.SessionFixture.limits;
import static org.nyala.core.session.SessionFixture.search;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.core.Seeds;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.RecordingClient.Answer;

/** Tests Cancel (RFC 3909): unlike an abandoned operation, a canceled one is answered. */
class CancelTest {
  static final List<String> STRATEGIES = DispatchStrategies.OFFERED;

  private static SessionFixture striped(int inFlight) {
    return new SessionFixture("striped", 1, 100, limits(inFlight, 8));
  }

  private static List<Answer> answers(RecordingClient client) {
    return client.onLoop(() -> List.copyOf(client.answers));
  }

  private static void assertIdle(SessionFixture fixture, RecordingClient client) {
    awaitIdle("client", client);
    fixture.awaitIdle();
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldEndWhatWaitsForItsClientBeforeTheCancelIsAnswered(String strategy) {
    try (SessionFixture fixture = new SessionFixture(strategy, 1, 1, limits(1, 8))) {
      RecordingClient client = fixture.open();
      client.reads = false;
      client.send(search(1, "stream"), search(2, "quick"));
      eventually("nothing holds a permit", () -> fixture.strategy.inFlight() == 0);
      client.send(cancel(3, 1));
      assertIdle(fixture, client);
      assertThat(answers(client))
          .startsWith(new Answer(1, ResultCode.CANCELED))
          .contains(new Answer(3, ResultCode.SUCCESS), new Answer(2, ResultCode.SUCCESS))
          .hasSize(3);
    }
  }

  @Test
  void shouldAnswerForWhatIsDeferredWithoutStartingIt() {
    try (SessionFixture fixture = striped(1)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"), search(2, "quick"), cancel(3, 2));
      assertThat(answers(client))
          .containsExactly(new Answer(2, ResultCode.CANCELED), new Answer(3, ResultCode.SUCCESS));
      fixture.gate.countDown();
      assertIdle(fixture, client);
      assertThat(fixture.ranAs).hasSize(1);
    }
  }

  @Test
  void shouldSayWhenItCameTooLate() {
    try (SessionFixture fixture = striped(8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"));
      await(fixture.started);
      client.send(cancel(2, 1), cancel(3, 1));
      assertThat(answers(client)).containsExactly(new Answer(3, ResultCode.CANNOT_CANCEL));
      fixture.gate.countDown();
      assertIdle(fixture, client);
      assertThat(answers(client))
          .containsExactly(
              new Answer(3, ResultCode.CANNOT_CANCEL),
              new Answer(1, ResultCode.SUCCESS),
              new Answer(2, ResultCode.TOO_LATE));
    }
  }

  @Test
  void shouldNotCancelWhatIsNotThereOrCannotBeCanceled() {
    try (SessionFixture fixture = striped(8)) {
      RecordingClient client = fixture.open();
      client.send(bind(1, "gate"));
      await(fixture.started);
      client.send(cancel(2, 1), cancel(3, 3), cancel(4, 99), search(5, "quick"), cancel(6, 5));
      fixture.gate.countDown();
      assertIdle(fixture, client);
      assertThat(answers(client))
          .containsExactly(
              new Answer(2, ResultCode.CANNOT_CANCEL),
              new Answer(3, ResultCode.CANNOT_CANCEL),
              new Answer(4, ResultCode.NO_SUCH_OPERATION),
              new Answer(5, ResultCode.CANCELED),
              new Answer(6, ResultCode.SUCCESS),
              new Answer(1, ResultCode.SUCCESS));
    }
  }

  @Test
  void shouldNotAnswerForWhatIsAbandonedMeanwhile() {
    try (SessionFixture fixture = striped(8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"));
      await(fixture.started);
      client.send(cancel(2, 1), abandon(3, 1));
      fixture.gate.countDown();
      assertIdle(fixture, client);
      assertThat(answers(client)).containsExactly(new Answer(2, ResultCode.TOO_LATE));
    }
  }

  @Test
  void shouldEndWithTheConnection() {
    try (SessionFixture fixture = striped(8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"));
      await(fixture.started);
      client.send(cancel(2, 1));
      client.breakOff();
      fixture.gate.countDown();
      assertIdle(fixture, client);
      assertThat(answers(client)).isEmpty();
    }
  }

  @Test
  void shouldRefuseValuesThatAreNoMessageId() {
    byte[] valid = {0x30, 3, 2, 1, 99};
    long seed = Seeds.seed();
    Random random = new Random(seed);
    try (SessionFixture fixture = striped(8)) {
      RecordingClient client = fixture.open();
      client.send(new Request.Extended(1, "1.3.6.1.1.8", null, List.of()));
      for (int cut = 0; cut < valid.length; cut++) {
        byte[] value = Arrays.copyOf(valid, cut);
        client.send(new Request.Extended(1, "1.3.6.1.1.8", value, List.of()));
      }
      assertThat(answers(client))
          .hasSize(1 + valid.length)
          .containsOnly(new Answer(1, ResultCode.PROTOCOL_ERROR));
      for (int i = 0; i < 1000; i++) {
        byte[] value = valid.clone();
        value[random.nextInt(value.length)] ^= (byte) (1 << random.nextInt(8));
        client.send(new Request.Extended(1, "1.3.6.1.1.8", value, List.of()));
      }
      assertThat(answers(client))
          .as("seed %d", seed)
          .hasSize(1001 + valid.length)
          .extracting(Answer::code)
          .isSubsetOf(
              ResultCode.PROTOCOL_ERROR, ResultCode.NO_SUCH_OPERATION, ResultCode.CANNOT_CANCEL);
      assertThat(fixture.metrics.internalErrors().sum()).isZero();
    }
  }

  @Test
  void shouldNotBeAbandoned() {
    try (SessionFixture fixture = striped(8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"));
      await(fixture.started);
      client.send(cancel(2, 1), abandon(3, 2));
      fixture.gate.countDown();
      assertIdle(fixture, client);
      assertThat(answers(client)).extracting(Answer::messageId).contains(2);
    }
  }

  @Test
  void shouldNotAbandonWithAControlThatIsCritical() {
    try (SessionFixture fixture = striped(8)) {
      RecordingClient client = fixture.open();
      client.send(search(1, "gate"));
      await(fixture.started);
      RequestControl critical = new RequestControl("1.2.3", true, null);
      client.send(new Request.Abandon(2, 1, List.of(critical)));
      fixture.gate.countDown();
      assertIdle(fixture, client);
      assertThat(answers(client)).containsExactly(new Answer(1, ResultCode.SUCCESS));
    }
  }
}
