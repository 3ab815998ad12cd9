package org.nyala.core.operation.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Csn;
import org.nyala.core.operation.sync.LogSender.LogRecord;

/** The names of the records in the log of modifications. */
final class LogRecordTest {
  private static Csn csn(int count, int modification) {
    return new Csn(1_700_000_000_123_456L, count, 1, modification);
  }

  @Test
  void namesRiseWithTheNumbersOfChanges() {
    List<String> starts =
        Stream.of(csn(0, 0), csn(0, 1), csn(0, 2), csn(1, 0), csn(1, 1), csn(17, 0))
            .map(LogRecord::start)
            .toList();
    assertThat(starts.getFirst()).isEqualTo("20231114221320.123456Z");
    // Digits of a fraction.
    assertThat(starts)
        .extracting(start -> start.replace("Z", ""))
        .isSorted()
        .doesNotHaveDuplicates();
  }
}
