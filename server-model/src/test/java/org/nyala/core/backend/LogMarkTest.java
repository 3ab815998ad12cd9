package org.nyala.core.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LogMarkTest {
  private static final String CHAIN = "0123456789abcdef".repeat(4);

  @Test
  void shouldReadWhatItWrites() {
    LogMark mark = new LogMark(3, 17, CHAIN);
    assertThat(LogMark.parse(mark.toString())).isEqualTo(mark);
    assertThat(mark).hasToString("3 17 " + CHAIN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "3", "3 17", "3 17 abc", "-1 17 C", "3 -1 C", "3 x C", "3 17 C 4"})
  void shouldNotReadAnythingElse(String text) {
    assertThat(LogMark.parse(text.replace("C", CHAIN))).isNull();
  }

  @Test
  void shouldRefuseWhatIsNoDigest() {
    assertThatIllegalArgumentException().isThrownBy(() -> new LogMark(1, 1, CHAIN + "0"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LogMark(1, 1, CHAIN.replace('a', 'g')));
  }
}
