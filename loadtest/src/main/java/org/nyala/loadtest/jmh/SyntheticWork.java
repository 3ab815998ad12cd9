package org.nyala.loadtest.jmh;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.openjdk.jmh.infra.Blackhole;

/** A consumer of time: of a processor, or without one. Immutable. */
final class SyntheticWork {
  private static final long CALIBRATION_TOKENS = 50_000;
  private static final long CALIBRATION_NANOS = 400_000_000;
  private static final long NANOS_PER_MICRO = 1_000;

  private final double tokensPerNano;
  private final MethodHandle sleep = sleep();

  private SyntheticWork(double tokensPerNano) {
    this.tokensPerNano = tokensPerNano;
  }

  /**
   * Measures how fast this machine computes. Of many rounds the fastest counts: the others were
   * interrupted, or not compiled yet. The rounds go on for long enough that the code is compiled
   * for good: after sixty rounds it may still be 1.4 times as slow, and operations would be that
   * much too short.
   */
  static SyntheticWork calibrated() {
    long fastest = Long.MAX_VALUE;
    long begun = System.nanoTime();
    long now = begun;
    while (now - begun < CALIBRATION_NANOS) {
      long start = now;
      Blackhole.consumeCPU(CALIBRATION_TOKENS);
      now = System.nanoTime();
      fastest = Math.min(fastest, now - start);
    }
    return new SyntheticWork((double) CALIBRATION_TOKENS / Math.max(1, fastest));
  }

  /** Computes for this time, if the thread keeps its processor. */
  void compute(long nanos) {
    Blackhole.consumeCPU((long) (nanos * tokensPerNano));
  }

  /*
   * A page fault holds its thread, and the carrier of a virtual one, without the knowledge of the
   * JVM. So does a system call through a method handle, while parking would release the carrier.
   */
  @SuppressWarnings("restricted") // The launcher enables native access.
  private static MethodHandle sleep() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("usleep"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  }

  /** Blocks the thread and its carrier for this time, as a page fault does. */
  void block(long nanos) {
    try {
      int _ = (int) sleep.invokeExact((int) (nanos / NANOS_PER_MICRO));
    } catch (Throwable e) {
      throw new IllegalStateException("usleep failed", e);
    }
  }
}
