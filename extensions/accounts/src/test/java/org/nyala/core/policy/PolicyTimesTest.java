package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;

/** Reads and writes the times of accounts. */
class PolicyTimesTest {
  @ParameterizedTest
  @CsvSource({
    "20260131120000Z, 2026-01-31T12:00:00Z",
    "20260131120000.123456Z, 2026-01-31T12:00:00.123456Z",
    "20260131120000.1Z, 2026-01-31T12:00:00.100Z",
    "'20260131120000,5Z', 2026-01-31T12:00:00.500Z",
    "2026013112Z, 2026-01-31T12:00:00Z",
    "202601311230+0130, 2026-01-31T11:00:00Z",
    "000001010000Z, 0000-01-01T00:00:00Z"
  })
  void shouldReadAllForms(String text, Instant time) {
    assertThat(PolicyTimes.parse(text.getBytes(US_ASCII))).isEqualTo(time);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Z",
        "20261331120000Z",
        "20260230120000Z",
        "20260131120000.12345.Z",
        "20260131120000:123456Z",
        "2026013112000.1234567Z",
        "20260131120000X",
        "20260131120000.123456X"
      })
  void shouldNotReadOthers(String text) {
    assertThat(PolicyTimes.parse(text.getBytes(US_ASCII))).isNull();
  }

  @Test
  void shouldReadWhatItWrites() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 10_000; i++) {
      Instant time =
          Instant.ofEpochSecond(
              random.nextLong(-60_000_000_000L, 250_000_000_000L), random.nextInt(1_000_000_000));
      assertThat(PolicyTimes.parse(PolicyTimes.format(time)))
          .as("test.seed=" + seed)
          .isEqualTo(time.truncatedTo(ChronoUnit.MICROS));
      assertThat(PolicyTimes.parse(PolicyTimes.formatSeconds(time)))
          .as("test.seed=" + seed)
          .isEqualTo(time.truncatedTo(ChronoUnit.SECONDS));
    }
  }
}
