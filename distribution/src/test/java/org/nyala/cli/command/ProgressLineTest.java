package org.nyala.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nyala.lmdb.ldif.ImportStatus;
import org.nyala.lmdb.ldif.ImportStatus.Phase;

class ProgressLineTest {
  private final StringWriter written = new StringWriter();

  private static ImportStatus status(Phase phase, long rejected, double fraction, long seconds) {
    return new ImportStatus(
        phase, 2000, rejected, 500, 1000, fraction, TimeUnit.SECONDS.toNanos(seconds));
  }

  private ProgressLine line(boolean terminal) {
    return new ProgressLine(new PrintWriter(written), terminal);
  }

  @Test
  void shouldDescribeHowFarAnImportIs() {
    assertThat(ProgressLine.describe(status(Phase.READING, 0, 0.25, 10)))
        .isEqualTo(" 25%  2,000 entries, 200/s, 0:30 left");
    assertThat(ProgressLine.describe(status(Phase.INDEXING, 7, 0.5, 7200)))
        .isEqualTo(" 50%  2,000 entries, 0/s, 7 rejected, building indexes, 2:00:00 left");
    assertThat(ProgressLine.describe(status(Phase.READING, 0, -1, 10)))
        .isEqualTo("2,000 entries, 200/s");
  }

  @Test
  void shouldWriteOverItsLineOnATerminalAndLeaveItEmpty() {
    ProgressLine line = line(true);
    line.update(status(Phase.READING, 0, 0.1, 1));
    line.update(status(Phase.READING, 0, 0.2, 2));
    assertThat(written.toString()).startsWith("\r 10%").contains("\r 20%").doesNotContain("\n");
    line.update(status(Phase.DONE, 0, 1, 3));
    assertThat(written.toString()).endsWith(" \r");
  }

  @Test
  void shouldWriteALineNowAndThenElsewhere() {
    ProgressLine line = line(false);
    line.update(status(Phase.READING, 0, 0.1, 1));
    assertThat(written.toString()).isEmpty();
    line.update(status(Phase.READING, 0, 0.2, 5));
    line.update(status(Phase.READING, 0, 0.3, 6));
    line.update(status(Phase.DONE, 0, 1, 7));
    assertThat(written.toString()).isEqualTo(" 20%  2,000 entries, 400/s, 0:20 left\n");
  }
}
