package org.nyala.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeapWatchTest {
  private final MemoryBudget budget = MemoryBudget.ofHeap(System::nanoTime);
  private final List<Long> wanted = new ArrayList<>();

  @Test
  void shouldAskForWhatIsBeyondTheShareAndALittleMore() {
    budget.relieveHeapBy(wanted::add);
    HeapWatch watch = new HeapWatch(budget, () -> 80);
    watch.look(799, 1000);
    watch.look(800, 1000);
    assertThat(wanted).isEmpty();
    watch.look(900, 1000);
    assertThat(wanted).containsExactly(100L + 1000 / 16);
    assertThat(budget.full().sum()).isEqualTo(1);
  }

  /** The JVM tells of its collections, whichever collector it has. */
  @Test
  void shouldLookAfterEachCollectionOfTheOldPart() {
    byte[] held = new byte[4 << 20];
    try (HeapWatch _ = HeapWatch.start(budget, () -> 0)) {
      System.gc();
      eventually("a collection was looked at", () -> budget.full().sum() > 0);
    }
    assertThat(held).hasSize(4 << 20);
  }
}
