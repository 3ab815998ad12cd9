package org.nyala.core.budget;

import java.util.ArrayDeque;
import java.util.Deque;
import org.nyala.core.Patience;
import org.nyala.core.limits.ServerLimits;

/**
 * A program that hoards more of its heap than may be in use, and then allocates nothing any more.
 */
final class HoardingHeap {
  private static final int PIECE_BYTES = 2048;
  private static final int LIVE_PERCENT = 86;

  private HoardingHeap() {}

  /** Hoards, and prints when it was taken for full. */
  public static void main(String[] args) {
    MemoryBudget budget = MemoryBudget.ofHeap(System::nanoTime);
    int percent = ServerLimits.MemoryLimits.DEFAULT.fullPercent();
    Deque<byte[]> hoard = new ArrayDeque<>();
    try (HeapWatch _ = HeapWatch.start(budget, () -> percent)) {
      long most = Runtime.getRuntime().maxMemory() / 100 * LIVE_PERCENT;
      while (budget.full().sum() == 0 && (long) hoard.size() * PIECE_BYTES < most) {
        hoard.add(new byte[PIECE_BYTES]);
      }
      Patience.eventually("told of the hoard", () -> budget.full().sum() > 0);
      System.out.println("told of " + hoard.size() + " pieces");
    }
  }
}
