package org.nyala.loadtest.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.loadtest.failover.Linearization.Verdict;

/** Checks histories of registers whose verdict is known, and random ones. */
class LinearizationTest {
  private static final long NEVER = Long.MAX_VALUE;

  /** A history as it is written down in a test. */
  private static final class Register {
    private final List<long[]> operations = new ArrayList<>();

    Register write(long start, long end, int value) {
      return swap(start, end, RegisterHistory.ANY, value);
    }

    /** A write that is refused upon any other value than the required one. */
    Register swap(long start, long end, int required, int value) {
      operations.add(new long[] {start, end, value, 1, required});
      return this;
    }

    Register read(long start, long end, int value) {
      operations.add(new long[] {start, end, value, 0, RegisterHistory.ANY});
      return this;
    }

    RegisterHistory history() {
      int size = operations.size();
      long[] starts = new long[size];
      long[] ends = new long[size];
      int[] values = new int[size];
      boolean[] isWrite = new boolean[size];
      int[] required = new int[size];
      for (int i = 0; i < size; i++) {
        starts[i] = operations.get(i)[0];
        ends[i] = operations.get(i)[1];
        values[i] = (int) operations.get(i)[2];
        isWrite[i] = operations.get(i)[3] == 1;
        required[i] = (int) operations.get(i)[4];
      }
      return new RegisterHistory(0, starts, ends, values, isWrite, required);
    }

    Verdict verdict() {
      Verdict verdict = Linearization.check(history()).verdict();
      assertThat(Linearization.check(history().decided()).verdict())
          .as("without unknown outcomes")
          .isEqualTo(verdict);
      return verdict;
    }
  }

  @Test
  void shouldAcceptHistoriesThatAnOrderExplains() {
    assertThat(new Register().verdict()).isEqualTo(Verdict.LINEARIZABLE);
    assertThat(new Register().read(1, 2, 0).write(3, 4, 7).read(5, 6, 7).verdict())
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(new Register().write(1, 9, 7).read(2, 3, 0).read(4, 5, 7).verdict())
        .as("a write that takes effect between two reads")
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(
            new Register()
                .write(1, 9, 7)
                .write(1, 9, 8)
                .read(2, 3, 8)
                .read(4, 5, 7)
                .read(10, 11, 7)
                .verdict())
        .as("two writes at once, the second one first")
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(
            new Register()
                .write(1, 9, 7)
                .write(1, 9, 8)
                .read(1, 9, 7)
                .read(1, 9, 0)
                .read(1, 9, 8)
                .verdict())
        .as("reads that are open together")
        .isEqualTo(Verdict.LINEARIZABLE);
  }

  @Test
  void shouldRefuseHistoriesThatNoOrderExplains() {
    assertThat(new Register().write(1, 2, 7).read(3, 4, 0).verdict())
        .as("a stale read")
        .isEqualTo(Verdict.VIOLATED);
    assertThat(new Register().write(1, 9, 7).read(2, 3, 7).read(4, 5, 0).verdict())
        .as("a value that goes back")
        .isEqualTo(Verdict.VIOLATED);
    assertThat(new Register().read(1, 2, 7).write(3, 4, 7).verdict())
        .as("a value before its write")
        .isEqualTo(Verdict.VIOLATED);
    assertThat(new Register().read(1, 2, 9).verdict())
        .as("a value that nobody wrote")
        .isEqualTo(Verdict.VIOLATED);
    assertThat(
            new Register()
                .write(1, 9, 7)
                .write(1, 9, 8)
                .read(2, 3, 8)
                .read(4, 5, 7)
                .read(10, 11, 8)
                .verdict())
        .as("two orders of the same writes")
        .isEqualTo(Verdict.VIOLATED);
  }

  @Test
  void shouldLetUnknownWritesTakeEffectLaterOrNever() {
    assertThat(new Register().write(1, NEVER, 7).read(2, 3, 0).read(9, 10, 0).verdict())
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(
            new Register()
                .write(1, NEVER, 7)
                .write(2, 3, 8)
                .read(4, 5, 8)
                .read(9, 10, 7)
                .read(11, 12, 7)
                .verdict())
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(
            new Register()
                .write(1, NEVER, 7)
                .write(2, 3, 8)
                .read(4, 5, 7)
                .read(6, 7, 8)
                .read(8, 9, 7)
                .verdict())
        .as("one that takes effect twice")
        .isEqualTo(Verdict.VIOLATED);
  }

  @Test
  void shouldMakeWritesUponTheRequiredValueOnly() {
    assertThat(new Register().swap(1, 2, 0, 7).swap(3, 4, 7, 8).read(5, 6, 8).verdict())
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(new Register().swap(1, 9, 8, 7).write(2, 3, 8).verdict())
        .as("one that takes effect after the other")
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(new Register().swap(1, NEVER, 0, 7).swap(1, NEVER, 7, 8).read(5, 6, 8).verdict())
        .as("two without answers, of which only the second one was read")
        .isEqualTo(Verdict.LINEARIZABLE);
    assertThat(new Register().swap(1, 2, 0, 7).swap(3, 4, 0, 8).verdict())
        .as("a lost change")
        .isEqualTo(Verdict.VIOLATED);
    assertThat(new Register().swap(1, 9, 0, 7).swap(1, 9, 0, 8).verdict())
        .as("two upon one value")
        .isEqualTo(Verdict.VIOLATED);
  }

  @Test
  void shouldNameTheFirstAnswerThatNoOrderExplains() {
    RegisterHistory history =
        new Register().write(1, 2, 7).read(3, 4, 7).read(5, 6, 0).read(7, 8, 7).history();

    assertThat(Linearization.check(history))
        .isEqualTo(new Linearization.Result(Verdict.VIOLATED, 2));
  }

  @Test
  void shouldNotDecideMoreThanCanBeOpen() {
    Register register = new Register();
    for (int i = 0; i <= Linearization.MOST_OPEN; i++) {
      register.read(1, 9, 0);
    }

    assertThat(Linearization.check(register.history()).verdict()).isEqualTo(Verdict.UNDECIDED);
  }

  @Test
  void shouldNameAnOperationByItsPlaceInTheWholeHistory() {
    int any = RegisterHistory.ANY;
    RegisterHistory history =
        new RegisterHistory(
            0,
            new long[] {0, 10, 20},
            new long[] {NEVER, 11, 21},
            new int[] {1, 2, 0},
            new boolean[] {true, true, false},
            new int[] {any, any, any},
            new int[] {70, 80, 90});
    RegisterHistory decided = history.decided();
    assertThat(decided.size()).isEqualTo(2);
    Linearization.Result result = Linearization.check(decided);
    assertThat(result.verdict()).isEqualTo(Verdict.VIOLATED);
    assertThat(decided.place(result.operation())).isEqualTo(90);
  }

  /** Random histories, of which many are wrong, give the verdict of a search of all orders. */
  @Test
  void shouldAgreeWithTheSearchOfAllOrders() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int[] verdicts = new int[2];
    for (int run = 0; run < 20_000; run++) {
      RegisterHistory history = random(random);
      boolean expected = explained(history, 0, history.initial());
      Verdict verdict = expected ? Verdict.LINEARIZABLE : Verdict.VIOLATED;
      verdicts[expected ? 1 : 0]++;

      assertThat(Linearization.check(history).verdict())
          .as("seed %d, run %d", seed, run)
          .isEqualTo(verdict);
      assertThat(Linearization.check(history.decided()).verdict())
          .as("seed %d, run %d, without unknown outcomes", seed, run)
          .isEqualTo(verdict);
    }
    assertThat(verdicts[0]).as("histories that no order explains").isGreaterThan(2_000);
    assertThat(verdicts[1]).as("histories that an order explains").isGreaterThan(2_000);
  }

  /** A history of a few operations, mostly as a register would answer at a random moment. */
  private static RegisterHistory random(Random random) {
    int size = 1 + random.nextInt(8);
    Register register = new Register();
    List<long[]> effects = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      long start = random.nextInt(20);
      long end = start + 1 + random.nextInt(8);
      long moment = start + random.nextInt((int) (end - start) + 1);
      boolean isWrite = random.nextBoolean();
      effects.add(new long[] {moment, start, end, isWrite ? 1 : 0, i + 1});
    }
    effects.sort(java.util.Comparator.comparingLong(each -> each[0]));
    int value = 0;
    for (long[] each : effects) {
      boolean isUnknown = random.nextInt(4) == 0;
      if (each[3] == 1 && random.nextInt(3) == 0) {
        boolean isDone = !isUnknown || random.nextBoolean();
        int required = random.nextInt(6) == 0 ? random.nextInt(size + 1) : value;
        value = isDone ? (int) each[4] : value;
        register.swap(each[1], isUnknown ? NEVER : each[2], required, (int) each[4]);
      } else if (each[3] == 1) {
        boolean isDone = !isUnknown || random.nextBoolean();
        value = isDone ? (int) each[4] : value;
        register.write(each[1], isUnknown ? NEVER : each[2], (int) each[4]);
      } else {
        boolean isWrong = random.nextInt(6) == 0;
        register.read(each[1], each[2], isWrong ? random.nextInt(size + 1) : value);
      }
    }
    return register.history();
  }

  /** Tries all orders; {@code done} has a bit for each operation that has taken effect. */
  private static boolean explained(RegisterHistory history, int done, int value) {
    boolean isOver = true;
    for (int i = 0; i < history.size(); i++) {
      isOver &= (done >> i & 1) == 1 || history.ends()[i] == NEVER;
    }
    if (isOver) {
      return true;
    }
    for (int i = 0; i < history.size(); i++) {
      boolean isFree = (done >> i & 1) == 0 && mayBeNext(history, done, i);
      if (isFree
          && history.isWrite()[i]
          && (history.required()[i] == RegisterHistory.ANY || history.required()[i] == value)
          && explained(history, done | 1 << i, history.values()[i])) {
        return true;
      }
      if (isFree
          && !history.isWrite()[i]
          && history.values()[i] == value
          && explained(history, done | 1 << i, value)) {
        return true;
      }
    }
    return false;
  }

  private static boolean mayBeNext(RegisterHistory history, int done, int operation) {
    for (int i = 0; i < history.size(); i++) {
      if ((done >> i & 1) == 0 && history.ends()[i] < history.starts()[operation]) {
        return false;
      }
    }
    return true;
  }
}
