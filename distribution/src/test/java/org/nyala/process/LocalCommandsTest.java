package org.nyala.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.cli.command.ProgressLine;

/** Tests the output of commands that show progress. */
class LocalCommandsTest {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldLeaveOutNothingButProgress(boolean terminal) {
    StringWriter seen = new StringWriter();
    StringWriter all = new StringWriter();
    for (PrintWriter err :
        new PrintWriter[] {LocalCommands.withoutProgress(seen), new PrintWriter(all)}) {
      err.print("nyala: ");
      err.println("one");
      ProgressLine line = new ProgressLine(err, terminal);
      line.show(() -> " 20%", TimeUnit.SECONDS.toNanos(5));
      line.finish();
      err.println("nyala: two");
    }
    assertThat(all.toString()).contains(" 20%");
    assertThat(seen.toString()).isEqualTo("nyala: one\nnyala: two\n");
  }
}
