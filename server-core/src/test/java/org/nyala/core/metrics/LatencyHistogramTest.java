package org.nyala.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

class LatencyHistogramTest {
  @Test
  void shouldPutEveryTimeBetweenTheBoundsOfItsBucket() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      check(random.nextLong(1L << random.nextInt(1, 40)), seed);
    }
    for (long bound : Latency.bounds()) {
      check(bound - 1, seed);
      check(bound, seed);
      check(bound + 1, seed);
    }
  }

  private static void check(long nanos, long seed) {
    int bucket = LatencyHistogram.bucket(nanos);
    long upper = LatencyHistogram.upperNanos(bucket);
    assertThat(nanos).as("seed %d", seed).isLessThanOrEqualTo(upper);
    if (bucket > 0) {
      long lower = LatencyHistogram.upperNanos(bucket - 1);
      assertThat(nanos).as("seed %d", seed).isGreaterThan(lower);
      if (bucket < LatencyHistogram.BUCKETS - 1) {
        assertThat(upper - lower).isLessThanOrEqualTo(lower / 8 + 1);
      }
    }
  }

  @Test
  void shouldKeepWhatIsOutOfBounds() {
    LatencyHistogram histogram = new LatencyHistogram();
    histogram.record(-5);
    histogram.record(0);
    histogram.record(Long.MAX_VALUE / 2);
    Latency latency = Latency.of(List.of(histogram));
    assertThat(latency.count()).isEqualTo(3);
    assertThat(latency.countUpTo(1000)).isEqualTo(2);
    assertThat(latency.countUpTo(Latency.bounds().getLast())).isEqualTo(2);
    assertThat(latency.percentileNanos(1)).isGreaterThan(Latency.bounds().getLast());
  }

  @Test
  void shouldCountExactlyUpToItsBoundsAndComeCloseWithPercentiles() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    LatencyHistogram one = new LatencyHistogram();
    LatencyHistogram two = new LatencyHistogram();
    long[] times = new long[10_000];
    long sum = 0;
    for (int i = 0; i < times.length; i++) {
      times[i] = 1000 + random.nextLong(1L << random.nextInt(10, 30));
      sum += times[i];
      (random.nextBoolean() ? one : two).record(times[i]);
    }
    Arrays.sort(times);
    Latency latency = Latency.of(List.of(one)).and(Latency.of(List.of(two)));
    assertThat(latency.count()).isEqualTo(times.length);
    assertThat(latency.sumNanos()).isEqualTo(sum);
    for (long bound : Latency.bounds()) {
      long exact = Arrays.stream(times).filter(time -> time <= bound).count();
      assertThat(latency.countUpTo(bound)).as("seed %d", seed).isEqualTo(exact);
    }
    for (double fraction : new double[] {0.01, 0.5, 0.99, 0.999, 1}) {
      long exact = times[(int) Math.ceil(times.length * fraction) - 1];
      assertThat(latency.percentileNanos(fraction))
          .as("%s, seed %d", fraction, seed)
          .isBetween(exact, exact + exact / 8 + 1);
    }
    assertThat(Latency.none().percentileNanos(0.5)).isZero();
  }
}
