package org.nyala.loadtest.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.loadtest.failover.Finding.Kind;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.Security;

/**
 * Lets servers lose what they have acknowledged, and expects all of it to be found, and no more.
 */
class LossTest {
  private static final int RUNS = 100;
  private static final int REGISTERS = 3;

  @TempDir private Path folder;

  /** A test of servers that lose something. */
  private record Run(Loss loss, History history, FailoverReport report, LossyServers servers) {
    static Run of(Loss loss, long seed) throws Exception {
      Random random = new Random(seed);
      int count = 2 + random.nextInt(2);
      int after = REGISTERS + 20 + random.nextInt(100);
      try (LossyServers servers = LossyServers.start(loss, count, REGISTERS, after, random)) {
        List<Server> all = new ArrayList<>();
        servers
            .servers()
            .forEach(
                each ->
                    all.add(
                        new Server(
                            all.size(),
                            "ldap://stub" + all.size(),
                            each.address(),
                            new Login(Account.ANONYMOUS),
                            5_000,
                            Security.NONE)));
        FailoverSettings settings =
            new FailoverSettings(
                all,
                new Tree("ou=failover,dc=example,dc=com"),
                List.of(),
                60,
                loss.isHarmless() ? 10 : 0.1,
                3,
                1,
                REGISTERS,
                0,
                0,
                1_000_000,
                300,
                seed,
                true);
        History history =
            new FailoverRun(
                    settings,
                    new PrintWriter(Writer.nullWriter()),
                    new BufferedReader(Reader.nullReader()))
                .run();
        servers.release();
        return new Run(loss, history, new FailoverReport(history, 20), servers);
      }
    }

    /** Returns the changes that were found missing, or there without being acknowledged. */
    Set<String> found() {
      Set<String> found = new TreeSet<>();
      Operations operations = history.operations();
      for (Finding each : report.changes().findings()) {
        boolean isDifference = each.kind() == Kind.HALF || each.kind() == Kind.DIFFERING;
        if (!isDifference && each.operation() >= 0) {
          int at = each.operation();
          boolean isDeletion = operations.kind(at) == Operations.Kind.DELETE;
          String number = isDeletion ? "deleted" : Integer.toString(operations.number(at));
          found.add(each.entry() + ":" + number);
        }
      }
      return found;
    }

    void check() {
      assertThat(servers.isDone() || loss == Loss.NONE || loss == Loss.NONE_LATE_COPY)
          .as("the servers lose something")
          .isTrue();
      Set<String> found = found();
      assertThat(found).as("findings").containsAll(servers.expected());
      found.removeAll(servers.expected());
      assertThat(servers.allowed()).as("further findings").containsAll(found);
      assertThat(report.changes().count(Kind.HALF))
          .as("half writes")
          .isEqualTo(loss == Loss.HALF_MODIFY || loss == Loss.HALF_AT_COPY ? 1 : 0);
      boolean isDiffering =
          loss == Loss.HALF_AT_COPY
              || loss == Loss.MISSING_AT_COPY && !servers.expected().isEmpty();
      assertThat(report.changes().count(Kind.DIFFERING)).isEqualTo(isDiffering ? 1 : 0);
      switch (loss) {
        case LOST_REGISTER -> assertThat(report.lostCount()).isPositive();
        case KEPT_DELETED -> assertThat(report.changes().count(Kind.RESURRECTED)).isEqualTo(1);
        case INVENTED, REFUSED_AND_MADE ->
            assertThat(report.changes().count(Kind.REFUSED)).isEqualTo(1);
        case OLD_AT_WRITER -> assertThat(report.registers().atWriters()).isNotEmpty();
        default -> {}
      }
      if (loss.isHarmless()) {
        checkHarmless();
      } else if (!found().isEmpty()) {
        assertThat(report.isRight()).isFalse();
      }
    }

    private void checkHarmless() {
      assertThat(report.isRight()).as(report.text()).isTrue();
      assertThat(report.verdict()).startsWith("No acknowledged write is lost; ");
      assertThat(report.registers().atWriters()).as(report.text()).isEmpty();
      if (loss == Loss.NONE_LATE_COPY) {
        assertThat(report.registers().staleCount(0)).isZero();
        assertThat(report.registers().staleCount(1)).isPositive();
        assertThat(report.registers().everywhere()).isNotEmpty();
        assertThat(report.registers().oldestNanos()[1]).isGreaterThan(5_000_000);
      } else {
        assertThat(report.registers().everywhere()).as(report.text()).isEmpty();
        assertThat(report.registers().staleCount()).isZero();
      }
    }
  }

  @Test
  void shouldFindEveryLossAndNoOther() throws Exception {
    long seed = Seeds.seed();
    Random seeds = new Random(seed);
    for (int i = 0; i < RUNS; i++) {
      Loss loss = List.of(Loss.values()).get(i % Loss.values().length);
      long own = seeds.nextLong();
      try {
        Run.of(loss, own).check();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", run " + i + ", " + loss, e);
      }
    }
  }

  @Test
  void shouldFindTheSameInTheFileOfAHistory() throws Exception {
    for (Loss loss : List.of(Loss.HALF_AT_COPY, Loss.TAKEN_OVER_LATE, Loss.NONE_UNANSWERED)) {
      Run run = Run.of(loss, Seeds.seed());
      Path file = folder.resolve(loss.name());
      run.history().write(file);

      FailoverReport again = new FailoverReport(History.read(file), 20);

      assertThat(again.text()).isEqualTo(run.report().text());
      assertThat(again.json()).isEqualTo(run.report().json());
    }
  }
}
