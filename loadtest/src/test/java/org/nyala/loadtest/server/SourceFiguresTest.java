package org.nyala.loadtest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.server.SourceFigures.Figure;
import org.nyala.loadtest.server.SourceFigures.Point;
import org.nyala.loadtest.server.SourceFigures.Sample;

/** Samples as figures of the measured period. */
class SourceFiguresTest {
  private static final Metric DONE = new Metric("done", true);
  private static final Metric WAITING = new Metric("waiting", false);

  private static Sample sample(double second, double done, double waiting) {
    return new Sample((long) (second * 1e9), Map.of(DONE, done, WAITING, waiting));
  }

  private static SourceFigures of(double startSeconds, Sample... samples) {
    return SourceFigures.of("a", List.of(samples), 1.5, "", (long) (startSeconds * 1e9));
  }

  @Test
  void shouldMakeRatesOfCountersFromTheBeginningOfTheMeasuredPeriod() {
    SourceFigures figures =
        of(2, sample(0, 0, 9), sample(2.1, 1000, 2), sample(3.1, 1200, 4), sample(4.1, 1600, 6));

    Figure done = figures.all().getFirst();
    assertThat(done.name()).isEqualTo("done");
    assertThat(done.isCounter()).isTrue();
    assertThat(done.mean()).isCloseTo(300, within(1e-6));
    assertThat(done.least()).isCloseTo(200, within(1e-6));
    assertThat(done.most()).isCloseTo(400, within(1e-6));
    assertThat(done.points()).hasSize(2);
    assertThat(done.points().getFirst().seconds()).isCloseTo(0.6, within(1e-6));
    Figure waiting = figures.all().getLast();
    assertThat(waiting.isCounter()).isFalse();
    assertThat(waiting.mean()).isEqualTo(4);
    assertThat(waiting.points()).extracting(Point::value).containsExactly(2.0, 4.0, 6.0);
    assertThat(figures.text())
        .contains("from a, read 4 times in 1.5 ms each")
        .containsPattern("done +per second +300 +200 +400")
        .containsPattern("waiting +4\\.00 +2\\.00 +6\\.00");
  }

  @Test
  void shouldLeaveOutWhereACounterBeganAgain() {
    SourceFigures figures = of(0, sample(0, 100, 0), sample(1, 200, 0), sample(2, 5, 0));

    assertThat(figures.all()).hasSize(1);
    assertThat(figures.all().getFirst().mean()).isCloseTo(100, within(1e-6));
    assertThat(figures.all().getFirst().points()).hasSize(1);
  }

  @Test
  void shouldLeaveOutWhatWasZeroThroughout() {
    assertThat(of(0, sample(0, 7, 0), sample(1, 7, 0)).all()).isEmpty();
    assertThat(of(0).text()).contains("from a: none");
    assertThat(of(0, sample(0, 7, 0)).all()).isEmpty();
    assertThat(of(0, sample(0, 7, 0)).text()).contains("read once");
  }

  @Test
  void shouldShowTheFirstOfManyBeforeATerminal() {
    List<Sample> samples = new ArrayList<>();
    for (int second = 0; second < 2; second++) {
      Map<Metric, Double> values = new java.util.HashMap<>();
      for (int i = 0; i < 40; i++) {
        values.put(new Metric("counter " + i, true), 1.0 * second * i);
      }
      samples.add(new Sample(second * 1_000_000_000L, values));
    }
    SourceFigures figures = SourceFigures.of("a", samples, 1, "", 0);

    assertThat(figures.text()).contains("counter 39").contains("and 14 more in the JSON");
    assertThat(figures.json().getAsJsonArray("figures")).hasSize(39);
  }
}
