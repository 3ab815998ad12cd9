package org.nyala.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapWatchTest {
  private final MemoryBudget budget = MemoryBudget.ofHeap(System::nanoTime);
  private final List<Long> wanted = new ArrayList<>();

  @Test
  void shouldAskForWhatIsBeyondTheShareAndALittleMore() {
    budget.relieveHeapBy(wanted::add);
    HeapWatch watch = new HeapWatch(budget, () -> 80, 1000);
    watch.look(799);
    watch.look(800);
    assertThat(wanted).isEmpty();
    watch.look(900);
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

  /** Garbage in old regions, which young and mixed collections leave, is not held by anybody. */
  @ParameterizedTest
  @ValueSource(strings = {"UseG1GC", "UseSerialGC", "UseParallelGC"})
  void shouldNotTakeGarbageForWhatIsHeld(String collector) throws Exception {
    assertThat(run(collector, FillingHeap.class)).startsWith("full 0 times");
  }

  /** The next collection would come when nothing is left of the heap. */
  @ParameterizedTest
  @ValueSource(strings = {"UseG1GC", "UseSerialGC", "UseParallelGC"})
  void shouldTellOfAHoardBeforeTheHeapIsFull(String collector) throws Exception {
    assertThat(run(collector, HoardingHeap.class)).startsWith("told");
  }

  /** The JVM gives it back first, and lets the program go on. */
  @ParameterizedTest
  @ValueSource(strings = {"UseG1GC", "UseSerialGC", "UseParallelGC"})
  void shouldFreeTheReserveBeforeMemoryEnds(String collector) throws Exception {
    assertThat(run(collector, FreedReserve.class)).startsWith("told with");
  }

  /** Returns the output of a program in a JVM of its own. */
  private static String run(String collector, Class<?> program) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+" + collector,
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path", ""),
                program.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(output).isZero();
      return output;
    } finally {
      process.destroyForcibly();
    }
  }
}
