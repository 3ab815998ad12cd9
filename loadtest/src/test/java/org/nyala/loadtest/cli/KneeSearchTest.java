package org.nyala.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.loadtest.cli.KneeSearch.Bounds;
import org.nyala.loadtest.cli.KneeSearch.Knee;
import org.nyala.loadtest.cli.KneeSearch.Sample;
import org.nyala.loadtest.cli.KneeSearch.Step;

class KneeSearchTest {
  private static final Bounds BOUNDS = new Bounds(10_000, 1, 0.02);

  private final List<Double> tried = new ArrayList<>();

  /** A try in which nothing held the tester up. */
  private static Sample sample(
      double rate, double p50Micros, double p99Micros, double errorPercent) {
    return new Sample(rate, p50Micros, p99Micros, errorPercent, false);
  }

  /** A queue before one server: the nearer to its capacity, the longer the wait. */
  private Sample queue(double capacity, double rate) {
    tried.add(rate);
    double served = Math.min(rate, capacity);
    double p99 = rate >= capacity ? 1e7 : 4.6 * 1e6 / (capacity - rate);
    return sample(served, p99 / 6, p99, 0);
  }

  /** A search without end would load a server for hours. */
  @Test
  void shouldEndWhenItsTimeIsOver() throws Exception {
    Knee knee = new KneeSearch(BOUNDS, new LimitedLoad(3)).search(1000, 1e6);

    assertThat(knee.isCut()).isTrue();
    assertThat(knee.rate()).isEqualTo(4000);
    assertThat(knee.steps()).hasSize(3);
    assertThat(new KneeSearch(BOUNDS, new LimitedLoad(0)).search(1000, 1e6))
        .isEqualTo(new Knee(0, false, true, List.of()));
    // 8000 is held in a short try, and not in three longer ones.
    Knee doubted = new KneeSearch(BOUNDS, new LimitedLoad(7)).search(1000, 8000);
    assertThat(doubted.rate()).isEqualTo(4000);
    assertThat(doubted.isCut()).isTrue();
  }

  /** A server that holds any rate, in longer tries 4000 at most, for so many tries. */
  private static final class LimitedLoad implements KneeSearch.Load {
    private int left;

    LimitedLoad(int tries) {
      left = tries;
    }

    @Override
    public Sample at(double rate, boolean isLong) {
      left--;
      return sample(isLong ? Math.min(rate, 4000) : rate, 1, 1, 0);
    }

    @Override
    public boolean isTimeFor(boolean isLong) {
      return left > 0;
    }
  }

  @Test
  void shouldFindTheRateAtWhichTheWaitPassesTheBound() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      double capacity = 2000 + random.nextInt(200_000);
      double knee = capacity - 460;
      Knee found =
          new KneeSearch(BOUNDS, (rate, _) -> queue(capacity, rate))
              .search(1 + random.nextInt(4000), 1e6);

      assertThat(found.rate()).as("seed " + seed).isBetween(knee / 1.021, knee);
      assertThat(found.isLimit()).isFalse();
    }
  }

  @Test
  void shouldStopAtTheHighestRateAllowed() throws Exception {
    Knee knee = new KneeSearch(BOUNDS, (rate, _) -> queue(1e9, rate)).search(1000, 5000);

    assertThat(knee.rate()).isEqualTo(5000);
    assertThat(knee.isLimit()).isTrue();
    assertThat(tried).containsExactly(1000.0, 2000.0, 4000.0, 5000.0, 5000.0);
  }

  @Test
  void shouldGoDownWhereTheFirstRateIsTooHigh() throws Exception {
    Knee knee = new KneeSearch(BOUNDS, (rate, _) -> queue(600, rate)).search(64_000, 1e6);

    assertThat(knee.rate()).isBetween(137.0, 140.0);
  }

  @Test
  void shouldFindNoneWhereNothingHolds() throws Exception {
    Knee knee = new KneeSearch(BOUNDS, (rate, _) -> sample(rate, 1, 1, 50)).search(16, 1e6);

    assertThat(knee.rate()).isZero();
    assertThat(knee.steps()).extracting(Step::verdict).containsOnly("errors");
  }

  @Test
  void shouldTryAgainAfterAHiccup() throws Exception {
    List<Integer> hiccups = new ArrayList<>(List.of(3));
    Knee knee =
        new KneeSearch(
                BOUNDS,
                (rate, _) -> {
                  boolean hiccup = hiccups.removeIf(number -> number == tried.size());
                  Sample sample = queue(100_000, rate);
                  return hiccup ? sample(rate, 1, 1e6, 0) : sample;
                })
            .search(1000, 1e6);

    assertThat(hiccups).isEmpty();
    assertThat(knee.rate()).isBetween(97_000.0, 99_540.0);
    assertThat(knee.steps().stream().filter(step -> step.wantedRate() == 8000)).hasSize(2);
  }

  /** From a failed long try there is no way up again, so that one hiccup would decide. */
  @Test
  void shouldRepeatALongTryThatFailedBeforeItBelievesIt() throws Exception {
    List<Double> longTries = new ArrayList<>();
    Knee knee =
        new KneeSearch(
                BOUNDS,
                (rate, isLong) -> {
                  if (isLong) {
                    longTries.add(rate);
                  }
                  boolean isHiccup = isLong && longTries.size() == 1;
                  return isHiccup ? sample(rate, 1, 1e6, 0) : sample(rate, 1, 1, 0);
                })
            .search(1000, 2000);

    assertThat(knee.rate()).isEqualTo(2000);
    assertThat(longTries).as("two of three decide").containsExactly(2000.0, 2000.0, 2000.0);
  }

  /** A failure while the tester is disturbed says nothing about the server. */
  @Test
  void shouldTryAgainWhileItIsDisturbed() throws Exception {
    int[] tries = new int[1];
    Knee knee =
        new KneeSearch(
                BOUNDS,
                (rate, _) ->
                    ++tries[0] % 4 == 0 ? sample(rate, 1, 1, 0) : new Sample(rate, 1, 1e6, 0, true))
            .search(1000, 2000);

    assertThat(knee.rate()).isEqualTo(2000);
    assertThat(tries[0]).isEqualTo(12);
    assertThat(knee.steps()).filteredOn(step -> step.sample().isDisturbed()).hasSize(9);
  }

  /** Short tries pass by luck near the bound; a long one decides. */
  @Test
  void shouldReportOnlyWhatIsHeldForLonger() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      double capacity = 2000 + random.nextInt(200_000);
      double optimism = 1 + random.nextDouble();
      Knee found =
          new KneeSearch(
                  BOUNDS, (rate, isLong) -> queue(isLong ? capacity : optimism * capacity, rate))
              .search(1 + random.nextInt(4000), 1e6);

      assertThat(found.rate())
          .as("seed " + seed)
          .isBetween((capacity - 460) / 1.05, capacity - 460);
      assertThat(found.steps().stream().filter(Step::isLong).filter(Step::isHeld))
          .extracting(Step::wantedRate)
          .contains(found.rate());
    }
  }

  @Test
  void shouldFindNoneWhereNothingHoldsForLonger() throws Exception {
    Knee knee =
        new KneeSearch(BOUNDS, (rate, isLong) -> sample(rate, 1, isLong ? 1e6 : 1, 0))
            .search(16, 1000);

    assertThat(knee.rate()).isZero();
    assertThat(knee.isLimit()).isFalse();
  }

  @Test
  void shouldNotTakeSilenceForSpeed() throws Exception {
    assertThat(
            new KneeSearch(BOUNDS, (rate, _) -> sample(rate, 1, Double.NaN, 0)).search(4, 8).rate())
        .isZero();
    assertThat(new KneeSearch(BOUNDS, (rate, _) -> sample(rate / 2, 1, 1, 0)).search(4, 8).steps())
        .extracting(Step::verdict)
        .contains("rate not reached");
  }

  @Test
  void shouldRejectBoundsThatNothingPasses() {
    assertThatThrownBy(() -> new Bounds(0, 1, 0.1)).hasMessageContaining("--knee-p99-ms");
    assertThatThrownBy(() -> new Bounds(1, 101, 0.1)).hasMessageContaining("--knee-errors");
    assertThatThrownBy(() -> new Bounds(1, 1, 0)).hasMessageContaining("--knee-precision");
  }
}
