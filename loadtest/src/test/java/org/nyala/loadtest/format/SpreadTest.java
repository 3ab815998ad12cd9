package org.nyala.loadtest.format;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpreadTest {
  @Test
  void shouldFindMiddleAndEnds() {
    assertThat(Spread.of(5, 1, 9)).isEqualTo(new Spread(5, 1, 9));
    assertThat(Spread.of(4, 1, 9, 6)).isEqualTo(new Spread(5, 1, 9));
    assertThat(Spread.of().median()).isNaN();
  }

  @Test
  void shouldCompareRoundByRound() {
    double[] one = {100, 50, 200};
    double[] other = {50, 25, 50};

    // The second round was slow for both, which makes no difference between them.
    assertThat(Spread.ofRatios(one, other)).isEqualTo(new Spread(2, 2, 4));
    assertThat(Spread.ofRatios(one, one)).isEqualTo(new Spread(1, 1, 1));
  }

  @Test
  void shouldLeaveOutRoundsThatOnlyOneHas() {
    assertThat(Spread.ofRatios(new double[] {6, 8}, new double[] {2}))
        .isEqualTo(new Spread(3, 3, 3));
  }
}
