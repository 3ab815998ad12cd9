package org.nyala.core.budget;

import java.lang.ref.ReferenceQueue;
import java.util.ArrayDeque;
import java.util.Deque;

/** A program that fills its heap until the reserve is freed. */
final class FreedReserve {
  private static final int PIECE_BYTES = 2048;
  private static final long RESERVE_BYTES = 8 << 20;

  private FreedReserve() {}

  /** Hoards until it is freed, and prints whether that was told. */
  public static void main(String[] args) throws InterruptedException {
    ReferenceQueue<Object> told = new ReferenceQueue<>();
    HeapReserve reserve = new HeapReserve(RESERVE_BYTES, told);
    reserve.fill();
    Deque<byte[]> hoard = new ArrayDeque<>();
    while (reserve.bytes() > 0) {
      hoard.add(new byte[PIECE_BYTES]);
    }
    boolean isTold = reserve.isFreed(told.remove());
    long percent = (long) hoard.size() * PIECE_BYTES * 100 / Runtime.getRuntime().maxMemory();
    System.out.println((isTold ? "told" : "not told") + " with " + percent + " % of the heap");
  }
}
