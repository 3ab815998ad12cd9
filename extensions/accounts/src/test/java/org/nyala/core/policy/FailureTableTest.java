package org.nyala.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Tests the table of failures by itself. */
class FailureTableTest {
  private static final long EACH = 1000;
  private static final int KEYS = 1 << 16;

  /** Of keys that share no cell. */
  private static long mark(int key) {
    return (long) key << 32 | key;
  }

  /**
   * Threads that take the only room of one key after the other, all at the same time: one that is
   * behind finds the room taken, which is quicker, so that they meet again and again.
   */
  @Test
  void shouldGiveTheLastRoomToOne() throws Exception {
    int threads = 3;
    int rounds = 30;
    FailureTable table = new FailureTable();
    CyclicBarrier start = new CyclicBarrier(threads);
    int taken = 0;
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<Integer>> each = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        each.add(
            pool.submit(
                () -> {
                  int mine = 0;
                  for (int round = 0; round < rounds; round++) {
                    start.await();
                    for (int key = 0; key < KEYS; key++) {
                      int charge = table.take(mark(key), EACH, 1, round * EACH);
                      mine += charge == FailureTable.REFUSED ? 0 : 1;
                    }
                  }
                  return mine;
                }));
      }
      for (Future<Integer> one : each) {
        taken += one.get();
      }
    }
    assertThat(taken).isEqualTo(rounds * KEYS);
  }

  /** A key that shares one cell with others has the debt of the other cell. */
  @Test
  void shouldConfuseOnlyKeysThatShareBothCells() {
    FailureTable table = new FailureTable();
    for (int other = 2; other < 100; other++) {
      // The first cell of all of them is that of key 1.
      for (int i = 0; i < 4; i++) {
        int _ = table.take((long) other << 32 | 1, EACH, 4, 0);
      }
    }
    assertThat(table.isSpent(mark(1), EACH, 4, 0)).isFalse();
    assertThat(table.isSpent(2L << 32 | 1, EACH, 4, 0)).isTrue();
    // The debt that so many share is repaid in time nevertheless: no cell owes more than twice the
    // most.
    assertThat(table.isSpent(2L << 32 | 1, EACH, 4, EACH)).isFalse();
    int charge = table.take(mark(1), EACH, 4, 0);
    table.giveBack(mark(1), EACH, charge);
    assertThat(table.isSpent(2L << 32 | 1, EACH, 4, 0)).isTrue();
    assertThat(table.isSpent(1L << 32 | 1, EACH, 4, 9 * EACH)).isFalse();
  }

  @Test
  void shouldTakeBackWhatItHasCharged() {
    FailureTable table = new FailureTable();
    for (int i = 0; i < 1000; i++) {
      int charge = table.take(mark(7), EACH, 2, 0);
      assertThat(charge).isNotEqualTo(FailureTable.REFUSED);
      table.giveBack(mark(7), EACH, charge);
    }
    assertThat(table.take(mark(7), EACH, 2, 0)).isNotEqualTo(FailureTable.REFUSED);
    assertThat(table.take(mark(7), EACH, 2, 0)).isNotEqualTo(FailureTable.REFUSED);
    assertThat(table.take(mark(7), EACH, 2, 0)).isEqualTo(FailureTable.REFUSED);
  }
}
