package org.nyala.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.replica.WaitingEntries.MissingEntries;

/** The set of missing identifiers: a table that is compared with a set, and bounded. */
final class MissingEntriesTest {
  private final MemoryAccount memory = MemoryBudget.ofHeap(System::nanoTime).open("replication");

  @Test
  void itIsASet() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    MissingEntries missing = new MissingEntries(1 << 20, memory);
    Set<UUID> model = new HashSet<>();
    for (int i = 0; i < 210_000; i++) {
      UUID each = new UUID(random.nextInt(30), random.nextInt(30));
      // It grows to some hundreds, and is empty in between.
      if (i / 10_000 % 2 == 0 && random.nextInt(1000) < 700) {
        assertThat(missing.add(each)).isTrue();
        model.add(each);
      } else {
        missing.remove(each);
        model.remove(each);
      }
      assertThat(missing.size()).as("seed " + seed).isEqualTo(model.size());
      if (model.isEmpty()) {
        assertThat(memory.held()).as("an empty table, seed " + seed).isZero();
      }
    }
    assertThat(model).isNotEmpty();
    for (UUID any = missing.any(); any != null; any = missing.any()) {
      assertThat(model.remove(any)).as("seed " + seed).isTrue();
      missing.remove(any);
    }
    assertThat(model).isEmpty();
    assertThat(memory.held()).as("an empty table").isZero();
  }

  @Test
  void theIdentifierOfZerosMayBeTheLast() {
    MissingEntries missing = new MissingEntries(1 << 20, memory);
    missing.add(new UUID(0, 0));
    missing.add(new UUID(0, 1));
    missing.remove(new UUID(0, 1));
    assertThat(missing.size()).isEqualTo(1);
    assertThat(memory.held()).isPositive();
    missing.remove(new UUID(0, 0));
    assertThat(memory.held()).isZero();
  }

  @Test
  void itsMemoryIsChargedAndBounded() {
    MissingEntries missing = new MissingEntries(100_000, memory);
    int count = 0;
    while (missing.add(new UUID(1, count))) {
      count++;
      assertThat(memory.held()).isBetween(count * 16L, 100_000L);
    }
    assertThat(count).isEqualTo(4096 * 3 / 4);
    assertThat(missing.add(new UUID(1, 0))).as("one that is there").isTrue();
    missing.remove(new UUID(1, 0));
    assertThat(missing.add(new UUID(2, 0))).as("one in place of another").isTrue();
    missing.clear();
    assertThat(missing.size()).isZero();
    assertThat(memory.held()).isZero();
  }
}
