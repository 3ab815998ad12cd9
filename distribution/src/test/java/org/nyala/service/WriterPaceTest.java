package org.nyala.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.SchedulingBounds;
import org.nyala.core.update.CommitPacer;
import org.nyala.core.update.ProcessorUse;
import org.nyala.core.update.ReadPriorityPacer;

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
  void shouldSayWhatItReadLastWhenTheFileFails(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("schedstat"), "5 6 7\n");
    ProcessorUse.Meter meter = new WriterPace.FileMeter(file);
    assertThat(meter.read()).isEqualTo(new ProcessorUse(5, 6));
    Files.writeString(file, "");
    assertThat(meter.read()).isEqualTo(new ProcessorUse(5, 6));
    Files.writeString(file, "8 9 10\n");
    assertThat(meter.read()).isEqualTo(new ProcessorUse(8, 9));
    assertThatThrownBy(() -> new WriterPace.FileMeter(folder.resolve("none")))
        .isInstanceOf(IOException.class);
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
    assertThat(WriterPace.of(1, 20, 4, () -> 0, System::nanoTime).start())
        .isInstanceOf(ReadPriorityPacer.class);
    assertThat(WriterPace.of(4, 20, 25, () -> 0, System::nanoTime))
        .isSameAs(CommitPacer.Source.UNPACED);
    assertThat(WriterPace.of(4, 0, 1, () -> 0, System::nanoTime))
        .isSameAs(CommitPacer.Source.UNPACED);
    assertThat(WriterPace.of(SchedulingBounds.WHOLE_PERCENT, 20, 1, () -> 0, System::nanoTime))
        .isSameAs(CommitPacer.Source.UNPACED);
  }
}
