package org.nyala.core.operation.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.filter.Pace;
import org.nyala.core.operation.sync.LogStage.LogStart;

/** Finds the first change that a client lacks, in journals of several contexts and servers. */
class LogStartTest {
  private static final int HERE = 0;
  private static final int ELSEWHERE = 1;

  /** Rows from sequence 1 on. */
  private record Rows(
      List<JournalEntry> rows, CsnVector present, CsnVector floor, long firstModifications)
      implements ChangeJournal {
    Rows(List<JournalEntry> rows, CsnVector present, CsnVector floor) {
      this(rows, present, floor, 1);
    }

    @Override
    public int context() {
      return HERE;
    }

    @Override
    public @Nullable JournalEntry seek(long sequence) {
      int at = (int) Math.max(0, sequence - 1);
      return at < rows.size() ? rows.get(at) : null;
    }

    @Override
    public @Nullable JournalEntry last() {
      return rows.isEmpty() ? null : rows.getLast();
    }

    @Override
    public void close() {}
  }

  private final List<JournalEntry> rows = new ArrayList<>();
  private CsnVector present = CsnVector.EMPTY;

  private static Csn csn(int server, int time) {
    return new Csn(time, 0, server, 0);
  }

  private void change(int context, int server, int time) {
    Csn csn = csn(server, time);
    rows.add(
        new JournalEntry(
            rows.size() + 1, JournalEntry.Kind.MODIFY, false, context, csn, new UUID(0, 1), 1));
    present = context == HERE ? present.with(csn) : present;
  }

  private Rows journal() {
    return new Rows(List.copyOf(rows), present, CsnVector.EMPTY);
  }

  private static CsnVector known(Csn... csns) {
    CsnVector all = CsnVector.EMPTY;
    for (Csn each : csns) {
      all = all.with(each);
    }
    return all;
  }

  private long find(CsnVector known) {
    LogStart start = new LogStart(known);
    assertThat(start.read(journal(), Pace.UNBOUNDED)).isEqualTo(LogStart.Step.FOUND);
    return start.sequence();
  }

  @Test
  void isAfterTheEndIfNothingIsLacking() {
    change(HERE, 1, 10);
    assertThat(find(known(csn(1, 10)))).isEqualTo(2);
  }

  /** Slices see later snapshots: changes between them are no reason to begin anew. */
  @Test
  void isTheSameInManySlices() {
    for (int time = 1; time <= 300; time++) {
      change(time % 2, 1, time);
    }
    LogStart start = new LogStart(known(csn(1, 20)));
    int slices = 1;
    while (start.read(journal(), () -> false) == LogStart.Step.GOES_ON) {
      change(HERE, 1, 300 + slices++);
    }
    assertThat(slices).isGreaterThan(3);
    assertThat(start.sequence()).isEqualTo(22);
    assertThat(start.last()).isEqualTo(300);
    assertThat(start.present()).isEqualTo(known(csn(1, 300)));
  }

  @Test
  void isMissingIfItsModificationsAreNotKept() {
    change(HERE, 1, 10);
    change(HERE, 1, 20);
    Rows kept = new Rows(rows, present, CsnVector.EMPTY, 3);
    assertThat(new LogStart(known(csn(1, 20))).read(kept, Pace.UNBOUNDED))
        .isEqualTo(LogStart.Step.FOUND);
    assertThat(new LogStart(known(csn(1, 10))).read(kept, Pace.UNBOUNDED))
        .isEqualTo(LogStart.Step.MISSING);
  }

  /** Another naming context may have changes of the same server in another order. */
  @Test
  void isNotProvedByOtherContexts() {
    change(HERE, 2, 10);
    change(ELSEWHERE, 2, 5);
    assertThat(find(known(csn(2, 7)))).isEqualTo(1);
  }

  @Test
  void dependsOnNoFloorOfOtherServers() {
    change(HERE, 1, 10);
    change(HERE, 1, 20);
    LogStart start = new LogStart(known(csn(1, 10)));
    Rows journal = new Rows(rows, present, known(csn(2, 50)));
    assertThat(start.read(journal, Pace.UNBOUNDED)).isEqualTo(LogStart.Step.FOUND);
    assertThat(start.sequence()).isEqualTo(2);
    Rows trimmed = new Rows(rows, present, known(csn(1, 15)));
    assertThat(new LogStart(known(csn(1, 10))).read(trimmed, Pace.UNBOUNDED))
        .isEqualTo(LogStart.Step.MISSING);
  }

  @Test
  void isWhatBruteForceFinds() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      rows.clear();
      present = CsnVector.EMPTY;
      int[][] times = new int[2][3];
      for (int i = random.nextInt(12); i > 0; i--) {
        int context = random.nextInt(2);
        int server = random.nextInt(3);
        times[context][server] += 1 + random.nextInt(5);
        change(context, server, times[context][server]);
      }
      CsnVector known = CsnVector.EMPTY;
      for (int server = 0; server < 3; server++) {
        int time = random.nextInt(20);
        known = time == 0 ? known : known.with(csn(server, time));
      }
      CsnVector client = known;
      long wanted =
          rows.stream()
              .filter(row -> row.context() == HERE && !client.covers(row.csn()))
              .mapToLong(JournalEntry::sequence)
              .min()
              .orElse(rows.size() + 1);
      assertThat(find(known))
          .as("seed %d round %d: %s %s", seed, round, known, rows)
          .isEqualTo(wanted);
    }
  }
}
