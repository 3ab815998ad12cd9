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
          ContextHistory.refreshed(NOW),
          ContextHistory.begun(PRESENT).continued(PRESENT).continued(CsnVector.EMPTY)
        }) {
      assertThat(ContextHistory.parse(each.toString())).isEqualTo(each);
    }
    assertThat(ContextHistory.parse("0123456789abcdef - -")).isNull();
    assertThat(ContextHistory.parse("0123456789abcdef - - 0"))
        .isEqualTo(ContextHistory.parse("0123456789abcdef - - 0 -"));
    assertThat(ContextHistory.parse("0123456789abcdef - - 0 0123456789abcde@-")).isNull();
    assertThat(ContextHistory.parse("0123456789abcdef - - 0 0123456789abcdef@x")).isNull();
  }

  @Test
  void sourcesAreReadAsTheyWereWritten() {
    for (String history : new String[] {"", "0123456789abcdef"}) {
      CopySource source = new CopySource("ldap://provider:389", history);
      assertThat(CopySource.parse(source.toString())).isEqualTo(source);
    }
    for (String refresh : new String[] {"", "fedcba9876543210"}) {
      CopySource source =
          new CopySource("ldap://provider:389", "0123456789abcdef").refreshing(refresh);
      assertThat(source.isHalf()).isTrue();
      assertThat(CopySource.parse(source.toString())).isEqualTo(source);
      assertThat(CopySource.parse(source.ended().toString()).isHalf()).isFalse();
    }
    assertThat(CopySource.parse("ldap://provider:389")).isNull();
    assertThat(CopySource.parse("- ldap://provider:389 x")).isNull();
  }

  /** A file that was copied back knows nothing of the runs after the copy was made. */
  @Test
  void runsHaveTheChangesThatWereThereAtTheirEnds() {
    Csn more = new Csn(3_000_000, 0, 1, 0);
    ContextHistory first = ContextHistory.begun(CsnVector.EMPTY);
    ContextHistory lost = first.continued(PRESENT.with(more));
    ContextHistory back = first.continued(PRESENT);
    CsnVector later = PRESENT.with(new Csn(4_000_000, 0, 1, 0));
    assertThat(back.id()).isNotEqualTo(lost.id());
    assertThat(lost.has(first.id(), PRESENT.with(more), later)).isTrue();
    assertThat(back.has(first.id(), PRESENT, later)).isTrue();
    assertThat(back.has(first.id(), PRESENT.with(more), later)).isFalse();
    assertThat(back.has(lost.id(), PRESENT, later)).isFalse();
    assertThat(back.has(back.id(), later, later)).isTrue();
    // Changes of a server that is not known here are those of another line.
    assertThat(back.has(first.id(), PRESENT.with(new Csn(9_000_000, 0, 7, 0)), later)).isTrue();
  }

  @Test
  void theOldestRunsAreForgotten() {
    ContextHistory first = ContextHistory.begun(PRESENT);
    ContextHistory history = first;
    for (int i = 0; i < ContextHistory.MOST_RUNS; i++) {
      history = history.continued(PRESENT);
    }
    assertThat(history.hasBeen(first.id())).isTrue();
    assertThat(history.continued(PRESENT).hasBeen(first.id())).isFalse();
    assertThat(history.continued(PRESENT).hasBeen(history.id())).isTrue();
  }

  @Test
  void unfinishedRefreshesAreContinuedByTheRunThatBeganThem() {
    String run = "fedcba9876543210";
    CopySource copy = new CopySource("ldap://a", "0123456789abcdef");
    assertThat(copy.isContinuedBy("ldap://b", "")).isTrue();
    assertThat(copy.refreshing(run).isContinuedBy("ldap://b", run)).isTrue();
    assertThat(copy.refreshing(run).isContinuedBy("ldap://a", "")).isFalse();
    assertThat(copy.refreshing("").isContinuedBy("ldap://a", "")).isTrue();
    assertThat(copy.refreshing("").isContinuedBy("ldap://b", "")).isFalse();
    assertThat(copy.refreshing("").isContinuedBy("ldap://a", run)).isFalse();
  }
}
