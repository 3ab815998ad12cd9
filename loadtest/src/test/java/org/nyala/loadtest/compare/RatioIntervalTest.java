package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

class RatioIntervalTest {
  @Test
  void shouldCompareMedians() {
    RatioInterval interval =
        RatioInterval.of(new double[] {100, 120, 80, 110, 90}, new double[] {50, 60, 40, 55, 45});

    assertThat(interval.ratio()).isEqualTo(2);
    // Both were slow in the same rounds, which is no difference between them.
    assertThat(interval.low()).isEqualTo(2);
    assertThat(interval.high()).isEqualTo(2);
    assertThat(interval.text()).isEqualTo("2.00 (2.00 - 2.00)");
    assertThat(interval.json().toString())
        .contains("\"median\":2", "\"min\":2", "\"max\":2", "\"low95\":2", "\"high95\":2");
    assertThat(RatioInterval.of(new double[0], new double[] {1}).text()).isEqualTo("-");
  }

  /** The extremes of many rounds reach ever further; the interval becomes narrower. */
  @Test
  void shouldBecomeNarrowerWithMoreRounds() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    double interval = 0;
    double extremesOfFew = 0;
    double extremesOfMany = 0;
    // The extremes of one draw of few rounds may lie close together.
    for (int draw = 0; draw < 20; draw++) {
      RatioInterval few = noisy(random, 6, 1);
      RatioInterval many = noisy(random, 200, 1);
      interval += many.high() - many.low();
      extremesOfFew += few.spread().greatest() - few.spread().least();
      extremesOfMany += many.spread().greatest() - many.spread().least();
    }

    assertThat(interval)
        .as("seed %d", seed)
        .isLessThan(extremesOfFew)
        .isLessThan(extremesOfMany / 3);
  }

  @Test
  void shouldMostlyEncloseTheTruth() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int enclosed = 0;
    for (int i = 0; i < 200; i++) {
      RatioInterval interval = noisy(random, 15, 1.2);
      enclosed += interval.low() <= 1.2 && interval.high() >= 1.2 ? 1 : 0;
    }

    assertThat(enclosed).as("seed %d", seed).isBetween(170, 200);
  }

  /** Figures that resemble their neighbours: fewer of them are independent than there are. */
  private static double[] correlated(Random random, int length, double mean) {
    double[] figures = new double[length];
    double deviation = 0;
    for (int i = 0; i < length; i++) {
      deviation = 0.7 * deviation + random.nextGaussian();
      figures[i] = mean + 20 * deviation;
    }
    return figures;
  }

  @Test
  void shouldAllowForNeighboursThatResembleEachOther() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int enclosed = 0;
    int enclosedAlone = 0;
    for (int i = 0; i < 100; i++) {
      double[] own = correlated(random, 60, 1200);
      double[] other = correlated(random, 40, 1000);
      RatioInterval blocks = RatioInterval.ofSeries(own, other, true);
      RatioInterval alone = RatioInterval.ofSeries(own, other, false);
      enclosed += blocks.low() <= 1.2 && blocks.high() >= 1.2 ? 1 : 0;
      enclosedAlone += alone.low() <= 1.2 && alone.high() >= 1.2 ? 1 : 0;
    }

    assertThat(enclosed).as("seed %d", seed).isGreaterThan(enclosedAlone).isGreaterThan(70);
  }

  @Test
  void shouldLeaveOutWhatIsNotKnown() {
    double[] own = {2, Double.NaN, 2};
    double[] other = {1, 1};
    assertThat(RatioInterval.ofSeries(own, other, true).text()).isEqualTo("2.00 (2.00 - 2.00)");
    double[] nothing = {Double.NaN};
    assertThat(RatioInterval.ofSeries(nothing, other, true).text()).isEqualTo("-");
    assertThat(RatioInterval.ofSeries(other, new double[0], false).text()).isEqualTo("-");
  }

  private static RatioInterval noisy(Random random, int rounds, double truth) {
    double[] own = new double[rounds];
    double[] other = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      own[i] = truth * (1000 + 50 * random.nextGaussian());
      other[i] = 1000 + 50 * random.nextGaussian();
    }
    return RatioInterval.of(own, other);
  }

  @Test
  void shouldSayTheSameOfTheSameRounds() {
    double[] own = {1, 2, 3, 4};
    double[] other = {4, 3, 2, 2};

    assertThat(RatioInterval.of(own, other)).isEqualTo(RatioInterval.of(own, other));
  }

  @Test
  void shouldLetEverybodyComeFirstAsOften() {
    List<String> servers = List.of("one", "two", "three");
    Set<List<String>> orders = new HashSet<>();
    for (int round = 0; round < 20; round += 2) {
      List<String> order = Turns.of(servers, round);
      orders.add(order);
      assertThat(order).containsExactlyInAnyOrderElementsOf(servers);
      assertThat(Turns.of(servers, round + 1)).isEqualTo(order.reversed());
    }
    assertThat(orders).hasSizeGreaterThan(2);
    assertThat(Turns.of(servers, 7)).isEqualTo(Turns.of(servers, 7));
  }
}
