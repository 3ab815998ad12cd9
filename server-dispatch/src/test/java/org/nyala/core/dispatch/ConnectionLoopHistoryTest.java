package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;

/** Tests which long operations of a connection are exceptions. */
class ConnectionLoopHistoryTest {
  private ConnectionLoopHistory history = new ConnectionLoopHistory();
  private final LoopLoad pace = new LoopLoads(64, () -> 1).ofThread();

  private void areShort(int count) {
    for (int i = 0; i < count; i++) {
      boolean _ = history.isTimed();
    }
  }

  /** Records a long operation; returns whether it was an exception and ended as one. */
  private boolean isException() {
    boolean may = history.mayBeException(ScriptedTask.USUAL, pace);
    if (may) {
      history.endedLate(ScriptedTask.USUAL);
    }
    return may;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 5, 10, 20, 50, 200})
  void shouldBeExceptionsSixteenOperationsApart(int oneIn) {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int sinceException = 0;
    for (int i = 0; i < 20_000; i++) {
      areShort(1);
      sinceException++;
      if (random.nextInt(oneIn) == 0) {
        boolean isDue = sinceException >= 16;
        assertThat(isException()).as("operation %d, seed %d", i, seed).isEqualTo(isDue);
        sinceException = isDue ? 0 : sinceException;
      }
    }
  }

  @Test
  void shouldBeNoExceptionAfterOneThatWasTooLongNorSpendAny() {
    areShort(ConnectionLoopHistory.EXCEPTION_ONE_IN);
    assertThat(history.mayBeException(ScriptedTask.USUAL, pace)).isTrue();
    history.overran(ScriptedTask.USUAL);
    areShort(ConnectionLoopHistory.EXCEPTION_ONE_IN);
    assertThat(history.mayBeException(ScriptedTask.USUAL, pace)).isFalse();
    history.ended(ScriptedTask.USUAL);
    assertThat(history.mayBeException(ScriptedTask.USUAL, pace)).isTrue();
  }

  @Test
  void shouldBeAnExceptionAfterMoreOperationsThanAreCounted() {
    history = new ConnectionLoopHistory(Integer.MAX_VALUE - 1);
    areShort(2);
    assertThat(isException()).as("the first").isTrue();
    assertThat(isException()).as("one more").isFalse();
  }
}
