package org.nyala.loadtest.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Moments of schedules, by arithmetic and not by the clock. */
class LoadFlowTest {
  private static LoadFlow poisson(long seed) {
    return new LoadFlow(true, seed, RateProfile.STEADY, ThinkTime.NONE);
  }

  private static LoadFlow even(RateProfile profile) {
    return new LoadFlow(false, 0, profile, ThinkTime.NONE);
  }

  /** All operations of several event loops up to a moment, in their order. */
  private static double[] moments(LoadFlow flow, double rate, int loops, double seconds) {
    return java.util.stream.IntStream.range(0, loops)
        .mapToObj(loop -> flow.arrivals(rate, loop, loops, 0))
        .flatMapToDouble(
            arrivals ->
                java.util.stream.LongStream.iterate(0, n -> n + 1)
                    .mapToDouble(n -> arrivals.nanos(n) / 1e9)
                    .takeWhile(moment -> moment < seconds))
        .sorted()
        .toArray();
  }

  /** Bounds of five standard deviations: one seed in a million would fail. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldHaveExponentialDistances(int loops) {
    long seed = new Random().nextLong();
    double rate = 1000;
    double[] moments = moments(poisson(seed), rate, loops, 100);
    String context = "seed " + seed;
    int count = moments.length;
    assertThat((double) count).as(context).isBetween(1e5 - 1600, 1e5 + 1600);
    double[] gaps = new double[count];
    for (int i = 0; i < count; i++) {
      gaps[i] = (moments[i] - (i == 0 ? 0 : moments[i - 1])) * rate;
    }
    double mean = Arrays.stream(gaps).average().orElseThrow();
    double variance = Arrays.stream(gaps).map(gap -> (gap - mean) * (gap - mean)).sum() / count;
    assertThat(mean).as(context).isBetween(1 - 0.016, 1 + 0.016);
    // The variance of the variance is 8 / n.
    assertThat(variance).as(context).isBetween(1 - 0.046, 1 + 0.046);
    Arrays.sort(gaps);
    double distance = 0;
    for (int i = 0; i < count; i++) {
      distance = Math.max(distance, Math.abs(1 - Math.exp(-gaps[i]) - (i + 0.5) / count));
    }
    assertThat(distance * Math.sqrt(count)).as(context + ", Kolmogorov").isLessThan(2.7);
    // Counts in seconds have the variance of their mean, as independent arrivals do.
    double[] counts = new double[100];
    Arrays.stream(moments).forEach(moment -> counts[(int) moment]++);
    double spread = Arrays.stream(counts).map(c -> (c - rate) * (c - rate)).sum() / counts.length;
    assertThat(spread / rate).as(context).isBetween(0.29, 1.71);
  }

  @RepeatedTest(3)
  void shouldFindEachMomentAgain() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Arrivals arrivals = poisson(seed).arrivals(50, 1, 4, 0);
    long[] known = new long[5000];
    for (int i = 0; i < known.length; i++) {
      known[i] = arrivals.nanos(i);
      assertThat(known[i]).as("seed %d", seed).isGreaterThanOrEqualTo(i == 0 ? 0 : known[i - 1]);
    }
    for (int i = 0; i < 200; i++) {
      int number = random.nextInt(known.length);
      assertThat(arrivals.nanos(number)).as("seed %d", seed).isEqualTo(known[number]);
    }
    long next = arrivals.skip(10, known[777]);
    assertThat(next).as("seed %d", seed).isEqualTo(777);
    assertThat(poisson(seed).arrivals(50, 1, 4, 0).nanos(4000)).isEqualTo(known[4000]);
    assertThat(poisson(seed + 1).arrivals(50, 1, 4, 0).nanos(4000)).isNotEqualTo(known[4000]);
    assertThat(poisson(seed).arrivals(50, 2, 4, 0).nanos(4000)).isNotEqualTo(known[4000]);
  }

  /** The integral of a rate from 100 to 300 in ten seconds is {@code 100 t + 10 t²}. */
  @Test
  void shouldFollowARamp() {
    double[] moments = moments(even(RateProfile.ramp("100:300:10s")), 200, 3, 12);
    for (int i = 0; i < moments.length; i++) {
      double t = moments[i];
      double due = t <= 10 ? 100 * t + 10 * t * t : 2000 + 300 * (t - 10);
      assertThat(due).as("operation %d", i).isBetween(i - 1e-3, i + 1e-3);
    }
    assertThat(moments).hasSize(2600);
  }

  @Test
  void shouldFollowStepsAfterAWarmUpAtTheFirstRate() {
    RateProfile profile = RateProfile.steps("10:2, 0:3s, 40:1s");
    assertThat(profile.seconds()).isEqualTo(6);
    assertThat(profile.meanRate()).isEqualTo(10);
    double[] moments = moments(even(profile), 10, 1, 7);
    assertThat(moments).hasSize(100).startsWith(0, 0.1);
    assertThat(moments[19]).isEqualTo(1.9);
    assertThat(moments[20]).isEqualTo(5);
    assertThat(moments[21]).isEqualTo(5.025);
    Arrivals late = even(profile).arrivals(10, 0, 1, 4);
    assertThat(late.nanos(60)).isEqualTo(9_000_000_000L);
    assertThat(even(RateProfile.ramp("0:10:10")).arrivals(5, 0, 1, 3).nanos(0))
        .isEqualTo(3_000_000_000L);
    assertThat(even(RateProfile.steps("5:1,0:1")).arrivals(1, 0, 1, 0).nanos(6))
        .isGreaterThan(1_000_000_000_000_000_000L - 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "100:200 | --ramp must be FROM:TO:SECONDS such as 100:1000:60s, not 100:200",
        "0:0:5 | that are not all 0, not 0:0:5",
        "1:2:0 | at most 1000 phases above 0 s",
        "1:999999999:5 | rates up to 100000000",
      })
  void shouldExplainRamps(String text, String expected) {
    assertThatThrownBy(() -> RateProfile.ramp(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "5:1,", "a:1", "-5:1", "5:1:2", "1:1,2:0"})
  void shouldExplainSteps(String text) {
    assertThatThrownBy(() -> RateProfile.steps(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--steps must be ");
  }

  @Test
  void shouldThinkForTheMeanTime() {
    assertThat(ThinkTime.parse("250ms")).isEqualTo(new ThinkTime(0.25, false));
    assertThat(ThinkTime.parse("exponential:2s")).isEqualTo(new ThinkTime(2, true));
    assertThat(ThinkTime.parse("3").nanos(0.9)).isEqualTo(3_000_000_000L);
    assertThat(ThinkTime.parse("3").firstNanos(0.5)).isEqualTo(1_500_000_000L);
    ThinkTime exponential = new ThinkTime(0.5, true);
    double mean = 0;
    double squares = 0;
    int count = 100_000;
    for (int i = 0; i < count; i++) {
      double seconds = exponential.nanos((i + 0.5) / count) / 1e9;
      mean += seconds / count;
      squares += seconds * seconds / count;
    }
    assertThat(mean).isBetween(0.4999, 0.5001);
    assertThat(squares - mean * mean).isBetween(0.2495, 0.2505);
    for (String text : new String[] {"", "-1", "2m", "normal:3", "9999999"}) {
      assertThatThrownBy(() -> ThinkTime.parse(text))
          .hasMessageStartingWith("--think-time must be SECONDS or exponential:SECONDS");
    }
  }

  @Test
  void shouldSayWhatDoesNotGoTogether() {
    assertThatThrownBy(() -> new LoadRate(0, 1, 1, 1, poisson(1)))
        .hasMessage("--arrivals needs --rate, --ramp or --steps");
    LoadFlow thinking = new LoadFlow(false, 0, RateProfile.STEADY, new ThinkTime(1, false));
    assertThatThrownBy(() -> new LoadRate(5, 1, 1, 1, thinking))
        .hasMessageContaining("--think-time is for clients that wait for answers");
    assertThat(thinking.inWords()).isEqualTo("think time of 1 s");
    assertThat(new LoadFlow(true, 0, RateProfile.ramp("1:20:3"), ThinkTime.NONE).inWords())
        .isEqualTo("Poisson arrivals, 1 to 20/s for 3 s");
  }
}
