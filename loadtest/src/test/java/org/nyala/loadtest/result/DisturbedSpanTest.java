package org.nyala.loadtest.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Disturbed intervals in words. */
class DisturbedSpanTest {
  private static IntervalSample sample(
      double second, Disturbance disturbance, GcPauses pauses, double busyCores) {
    IntervalSample.Times times = IntervalSample.Times.NONE;
    long ownNanos = 500_000_000;
    return new IntervalSample(
        second,
        1,
        false,
        1,
        1,
        Map.of(),
        times,
        times,
        -1,
        ownNanos,
        -1,
        disturbance,
        pauses,
        busyCores);
  }

  private static String text(boolean isServerKnown, IntervalSample... samples) {
    List<DisturbedSpan> spans = DisturbedSpan.of(List.of(samples));
    assertThat(spans).hasSize(1);
    assertThat(spans.getFirst().json(isServerKnown).get("text").getAsString())
        .isEqualTo(spans.getFirst().text(isServerKnown));
    return spans.getFirst().text(isServerKnown);
  }

  @Test
  void shouldJoinIntervalsInARow() {
    Disturbance late = new Disturbance(0, 30, 0);
    List<DisturbedSpan> spans =
        DisturbedSpan.of(
            List.of(
                sample(0, Disturbance.NONE, GcPauses.NONE, 1),
                sample(1, late, new GcPauses(1, 20), 1),
                sample(2, new Disturbance(40, 0, 0), new GcPauses(2, 5), 2),
                sample(3, Disturbance.NONE, GcPauses.NONE, 1),
                sample(4, late, GcPauses.NONE, 1)));

    assertThat(spans)
        .containsExactly(
            new DisturbedSpan(1, 3, new Disturbance(40, 30, 0), new GcPauses(3, 25), 1.5),
            new DisturbedSpan(4, 5, late, GcPauses.NONE, 0.5));
    assertThat(DisturbedSpan.of(List.of())).isEmpty();
  }

  @Test
  void shouldNameCollections() {
    assertThat(text(true, sample(3, new Disturbance(0, 100, 0), new GcPauses(1, 90), 0.5)))
        .isEqualTo(
            "second 3 to 4: the load tester began operations up to 0 ms late and read answers"
                + " up to 100 ms late; its garbage collector paused it once, 90 ms in all");
  }

  @Test
  void shouldNameOtherProcesses() {
    Disturbance late = new Disturbance(25, 0, 0);
    assertThat(text(true, sample(3, late, GcPauses.NONE, 2)))
        .endsWith(" late; other processes used up to 1.5 processors");
    assertThat(text(false, sample(3, late, GcPauses.NONE, 2)))
        .endsWith("other processes (the server too, if it runs here) used up to 1.5 processors");
  }

  @Test
  void shouldNameTheHost() {
    assertThat(text(true, sample(3, new Disturbance(0, 0, 7.2), GcPauses.NONE, 0.5)))
        .endsWith(" late; the host took 7.2 % of the processors");
  }

  @Test
  void shouldSayThatNothingExplainsIt() {
    String unknown = "the cause is not known: it was stopped, or waited for a processor";
    Disturbance late = new Disturbance(0, 400, 0);
    assertThat(text(true, sample(3, late, GcPauses.NONE, 0.5))).endsWith(unknown);
    assertThat(text(true, sample(3, late, GcPauses.NONE, Double.NaN))).endsWith(unknown);
    assertThat(text(true, sample(3, late, new GcPauses(2, 10), 0.5)))
        .endsWith("paused it 2 times, 10 ms in all; " + unknown);
  }
}
