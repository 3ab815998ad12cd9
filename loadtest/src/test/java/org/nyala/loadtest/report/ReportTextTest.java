package org.nyala.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the wording of results. */
class ReportTextTest {
  @Test
  void shouldKnowTheSingular() {
    assertThat(ReportText.counted(1, "event loop")).isEqualTo("1 event loop");
    assertThat(ReportText.counted(2, "event loop")).isEqualTo("2 event loops");
  }
}
