package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.core.Seeds;

/**
 * Clusters of three and five, from seeds: {@code -Dnyala.cluster.seeds} of them with stores in
 * memory, {@code -Dnyala.cluster.lmdbSeeds} with stores on disk.
 */
final class SimulationTest {
  private static final Logger QUIET = Logger.getLogger("org.nyala");

  /** The most seeds until a fault that is built in must be found; about a twentieth is usual. */
  private static final int MOST_SEEDS = 2000;

  @TempDir Path directory;

  @BeforeAll
  static void shouldNotLogWhatIsMeantToHappen() {
    QUIET.setLevel(Level.OFF);
  }

  @Test
  void shouldLoseNothingAndDivergeNeverWhateverFails() {
    run(Integer.getInteger("nyala.cluster.seeds", 150), SimulatedStorage::inMemory);
  }

  @Test
  void shouldLoseNothingAndDivergeNeverOnDisk() {
    SimulatedStorage.createLmdb(directory);
    run(Integer.getInteger("nyala.cluster.lmdbSeeds", 4), () -> SimulatedStorage.lmdb(directory));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void shouldFindFaultsThatAreBuiltIn(SimulatedFault fault) {
    long first = Seeds.seed();
    for (long seed = first; seed < first + MOST_SEEDS; seed++) {
      if (!new Simulation(seed, fault, SimulatedStorage::inMemory).run().problems().isEmpty()) {
        return;
      }
    }
    fail("not found with test.seed=" + first);
  }

  private static void run(int seeds, Supplier<SimulatedNode.Storage> storage) {
    long first = Long.getLong("test.seed", Seeds.seed());
    long done = 0;
    long crashes = 0;
    long entries = 0;
    long begun = System.nanoTime();
    for (long seed = first; seed < first + seeds; seed++) {
      Simulation.Result result = new Simulation(seed, SimulatedFault.NONE, storage).run();
      assertThat(result.problems()).as("test.seed=%d", seed).isEmpty();
      done += result.done();
      crashes += result.crashes();
      entries += result.entries();
    }
    System.out.printf(
        "seeds %d..%d: %d changes done, %d entries, %d crashes, 0 faults, %d ms%n",
        first, first + seeds - 1, done, entries, crashes, (System.nanoTime() - begun) / 1_000_000);
  }
}
