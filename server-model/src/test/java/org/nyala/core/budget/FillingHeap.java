package org.nyala.core.budget;

import java.util.Random;
import org.nyala.core.limits.ServerLimits;

/** A program that fills its heap with garbage, most of which gets old before it is garbage. */
final class FillingHeap {
  private static final int PIECE_BYTES = 2048;
  private static final int LIVE_PERCENT = 40;

  /** The collections that are waited for; the fault showed itself in one of ten. */
  private static final long CHURNED_BYTES = 2L << 30;

  private FillingHeap() {}

  /** Fills the heap, and prints how often it was taken for full. */
  public static void main(String[] args) {
    MemoryBudget budget = MemoryBudget.ofHeap(System::nanoTime);
    int percent = ServerLimits.MemoryLimits.DEFAULT.fullPercent();
    try (HeapWatch _ = HeapWatch.start(budget, () -> percent)) {
      int found = churn();
      System.out.println("full " + budget.full().sum() + " times, pieces " + found);
    }
  }

  private static int churn() {
    int pieces = (int) (Runtime.getRuntime().maxMemory() / 100 * LIVE_PERCENT / PIECE_BYTES);
    byte[][] held = new byte[pieces][];
    Random random = new Random(1);
    for (long left = CHURNED_BYTES; left > 0; left -= PIECE_BYTES) {
      held[random.nextInt(pieces)] = new byte[PIECE_BYTES];
    }
    int found = 0;
    for (byte[] each : held) {
      found += each == null ? 0 : 1;
    }
    return found;
  }
}
