package org.nyala.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the setting of recordings that omits short operations. */
class DurationThresholdTest {
  @ParameterizedTest
  @CsvSource({
    "0 ns, 0",
    "7 us, 7000",
    "10 ms, 10000000",
    "2 s, 2000000000",
    "5, 5",
    "nonsense, 10000000",
    "3 weeks, 10000000"
  })
  void shouldReadTimes(String text, long nanos) {
    DurationThreshold setting = new DurationThreshold();
    setting.setValue(text);
    assertThat(setting.nanos()).isEqualTo(nanos);
    assertThat(setting.getValue()).isEqualTo(text);
  }

  @Test
  void shouldGoByWhoWantsMost() {
    DurationThreshold setting = new DurationThreshold();
    assertThat(setting.combine(Set.of("10 ms", "1 ms", "2 s"))).isEqualTo("1 ms");
    assertThat(setting.combine(Set.of("0 ns", "1 ms"))).isEqualTo("0 ns");
    assertThat(setting.getValue()).isEqualTo("10 ms");
  }
}
