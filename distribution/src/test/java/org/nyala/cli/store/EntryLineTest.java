package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.nyala.cli.command.ProgressLine;

class EntryLineTest {
  private static String describe(long done, long total, long seconds) {
    return EntryLine.describe("checking", done, total, TimeUnit.SECONDS.toNanos(seconds));
  }

  @Test
  void shouldTellHowFarItIsAndWhatIsLeft() {
    assertThat(describe(20_000, 100_000, 10))
        .isEqualTo(" 20%  checking, 20,000 of 100,000 entries, 2,000/s, 0:40 left");
    assertThat(describe(0, 0, 0)).isEqualTo("  0%  checking, 0 of 0 entries, 0/s");
    assertThat(describe(30, 20, 1)).isEqualTo("100%  checking, 30 of 30 entries, 30/s, 0:00 left");
  }

  @Test
  void shouldWriteLinesElsewhereThanOnATerminal() {
    StringWriter written = new StringWriter();
    AtomicLong nanos = new AtomicLong();
    try (EntryLine line =
        new EntryLine("exporting", new ProgressLine(new PrintWriter(written), false), nanos::get)) {
      line.update(10, 100);
      nanos.set(TimeUnit.SECONDS.toNanos(5));
      line.update(50, 100);
      line.update(60, 100);
    }
    assertThat(written.toString())
        .isEqualTo(" 50%  exporting, 50 of 100 entries, 10/s, 0:05 left\n");
  }
}
