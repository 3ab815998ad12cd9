package org.nyala.core.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ByteAppenderTest {
  private static final int MOST = ByteAppender.MAXIMUM_LENGTH;

  @Test
  void shouldDoubleOrTakeWhatIsNeeded() {
    assertThat(ByteAppender.grownCapacity(16, 16, 1)).isEqualTo(32);
    assertThat(ByteAppender.grownCapacity(16, 10, 1000)).isEqualTo(1010);
  }

  @Test
  void shouldGrowBeyondAGibibyteUpToTheLongestArray() {
    int gibibyte = 1 << 30;
    assertThat(ByteAppender.grownCapacity(gibibyte, gibibyte, 1)).isEqualTo(MOST);
    assertThat(ByteAppender.grownCapacity(gibibyte + 5, gibibyte, 100)).isEqualTo(MOST);
    assertThat(ByteAppender.grownCapacity(gibibyte, gibibyte, MOST - gibibyte)).isEqualTo(MOST);
  }

  @Test
  void shouldSayThatMoreCannotBe() {
    assertThatThrownBy(() -> ByteAppender.grownCapacity(MOST, MOST, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("2147483640 bytes are more than the 2147483639");
    assertThatThrownBy(() -> ByteAppender.grownCapacity(16, 16, Integer.MAX_VALUE))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldKeepWhatWasAppendedWhileGrowing() {
    ByteAppender appender = new ByteAppender(0);
    for (int i = 0; i < 1000; i++) {
      appender.append(i);
    }
    assertThat(appender.length()).isEqualTo(1000);
    for (int i = 0; i < 1000; i++) {
      assertThat(appender.byteAt(i)).isEqualTo((byte) i);
    }
  }
}
