package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.nyala.core.update.CommitPace;
import org.nyala.core.update.ProcessorUse;
import org.nyala.core.update.ReadsFirstPace;

class WriterPaceTest {
  private static final long WORK_NANOS = 20_000_000;

  @Test
  void shouldReadWhatTheThreadHasRun() throws IOException {
    ProcessorUse.Meter meter = WriterPace.meter();
    long before = meter.read().ranNanos();
    long after = before;
    while (after - before < WORK_NANOS) {
      long now = meter.read().ranNanos();
      assertThat(now).isGreaterThanOrEqualTo(after);
      after = now;
    }
    assertThat(meter.read().waitedNanos()).isNotNegative();
  }

  @Test
  void shouldUnderstandWhatLinuxSays() throws IOException {
    assertThat(WriterPace.parse("2066300 23384 8\n")).isEqualTo(new ProcessorUse(2066300, 23384));
    for (String wrong : new String[] {"", "12", "a b c\n", "1 two 3\n"}) {
      assertThatThrownBy(() -> WriterPace.parse(wrong))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("schedstat");
    }
  }

  @Test
  void shouldPaceUnlessTheWriterMayHaveAllOfAProcessor() {
    assertThat(WriterPace.of(1, 4, () -> 0, System::nanoTime).start())
        .isInstanceOf(ReadsFirstPace.class);
    assertThat(WriterPace.of(4, 25, () -> 0, System::nanoTime)).isSameAs(CommitPace.Source.UNPACED);
    assertThat(WriterPace.of(WriterPace.WHOLE_PERCENT, 1, () -> 0, System::nanoTime))
        .isSameAs(CommitPace.Source.UNPACED);
  }
}
