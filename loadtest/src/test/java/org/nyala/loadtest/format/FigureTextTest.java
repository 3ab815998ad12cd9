package org.nyala.loadtest.format;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FigureTextTest {
  @Test
  void shouldShowTimesInTheUnitInWhichTheyAreShortest() {
    assertThat(FigureText.micros(10)).isEqualTo("10 µs");
    assertThat(FigureText.micros(1000)).isEqualTo("1 ms");
    assertThat(FigureText.micros(100_000)).isEqualTo("100 ms");
    assertThat(FigureText.micros(2_500_000)).isEqualTo("2.5 s");
  }

  @Test
  void shouldRoundTimesToThreeDigits() {
    assertThat(FigureText.latency(120.4)).isEqualTo("120 µs");
    assertThat(FigureText.latency(1526)).isEqualTo("1.53 ms");
    assertThat(FigureText.latency(0.126)).isEqualTo("0.13 µs");
    assertThat(FigureText.latency(Double.NaN)).isEqualTo("-");
  }

  @Test
  void shouldShowNumbersInTheirShortestForm() {
    assertThat(FigureText.count(1500)).isEqualTo("1,500");
    assertThat(FigureText.count(1_500_000)).isEqualTo("1.5M");
    assertThat(FigureText.count(0.25)).isEqualTo("0.25");
    assertThat(FigureText.trimmed(40)).isEqualTo("40");
    assertThat(FigureText.whole(1234.5)).isEqualTo("1,235");
    assertThat(FigureText.whole(Double.NaN)).isEqualTo("-");
    assertThat(FigureText.decimal(2.345, 1)).isEqualTo("2.3");
    assertThat(FigureText.decimal(Double.NaN, 1)).isEqualTo("-");
  }
}
