package org.nyala.core.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Tests that notes about histories can be read again. */
class ContextHistoryTest {
  private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");
  private static final CsnVector PRESENT =
      CsnVector.EMPTY.with(new Csn(1_000_000, 0, 1, 0)).with(new Csn(2_000_000, 0, 0xa, 0));

  @Test
  void historiesAreReadAsTheyWereWritten() {
    for (ContextHistory each :
        new ContextHistory[] {
          ContextHistory.begun(CsnVector.EMPTY),
          ContextHistory.begun(PRESENT),
          ContextHistory.imported(PRESENT, NOW),
          ContextHistory.restored(null, PRESENT, NOW),
          ContextHistory.restored(ContextHistory.imported(PRESENT, NOW), PRESENT, NOW),
          ContextHistory.refreshed(NOW)
        }) {
      assertThat(ContextHistory.parse(each.toString())).isEqualTo(each);
    }
    assertThat(ContextHistory.parse("0123456789abcdef - -")).isNull();
  }

  @Test
  void sourcesAreReadAsTheyWereWritten() {
    for (String history : new String[] {"", "0123456789abcdef"}) {
      CopySource source = new CopySource("ldap://provider:389", history);
      assertThat(CopySource.parse(source.toString())).isEqualTo(source);
    }
    assertThat(CopySource.parse("ldap://provider:389")).isNull();
  }
}
