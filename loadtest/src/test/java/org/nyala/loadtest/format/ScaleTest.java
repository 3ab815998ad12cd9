package org.nyala.loadtest.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.nyala.loadtest.format.Scale.Tick;

class ScaleTest {
  @Test
  void shouldRoundUpEvenScalesFromZero() {
    Scale scale = Scale.linear(Scale::count).over(40_000, 66_000);

    assertThat(scale.ticks())
        .extracting(Tick::label)
        .containsExactly("0", "20,000", "40,000", "60,000", "80,000");
    assertThat(scale.place(40_000)).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void shouldGivePowersOfTenEqualRoom() {
    Scale scale = Scale.logarithmic(Scale::micros).over(12, 80_000);

    assertThat(scale.ticks())
        .extracting(Tick::label)
        .containsExactly("10 us", "100 us", "1 ms", "10 ms", "100 ms");
    assertThat(scale.place(1000)).isCloseTo(0.5, within(1e-9));
    assertThat(scale.place(0)).isZero();
  }

  @Test
  void shouldMarkMoreOfAShortLogarithmicScale() {
    assertThat(Scale.logarithmic(Scale::micros).over(300, 900).ticks())
        .extracting(Tick::label)
        .containsExactly("200 us", "500 us", "1 ms");
  }

  @Test
  void shouldGiveEachNineOfPercentilesEqualRoom() {
    Scale scale = Scale.percentiles().over(0, 99.99);

    assertThat(scale.ticks())
        .extracting(Tick::label)
        .containsExactly("50 %", "90 %", "99 %", "99.9 %", "99.99 %");
    assertThat(scale.place(90)).isCloseTo(0.25, within(1e-9));
    assertThat(scale.place(99)).isCloseTo(0.5, within(1e-9));
    assertThat(scale.place(100)).isCloseTo(1, within(1e-9));
  }

  @Test
  void shouldStandWhatCannotBeShown() {
    assertThat(Scale.linear(Scale::count).over(0, 0).ticks()).isNotEmpty();
    assertThat(Scale.logarithmic(Scale::micros).over(0, 0).ticks()).isNotEmpty();
    assertThat(Scale.percentiles().over(100, 100).place(50)).isBetween(0.0, 1.0);
  }
}
