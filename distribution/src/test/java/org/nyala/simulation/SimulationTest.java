package org.nyala.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Providers, consumers and their writers in one thread, from a seed: {@code
 * -Dnyala.simulation.seeds} is the number of seeds, and {@code -Dseed} runs one alone.
 */
final class SimulationTest {
  private static final int SEEDS = Integer.getInteger("nyala.simulation.seeds", 60);
  private static final int LENGTH = 600;
  private static final Logger LOG = Logger.getLogger("org.nyala");

  @BeforeAll
  static void beSilent() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void speak() {
    LOG.setLevel(null);
  }

  @Test
  void copiesHoldWhatTheirVectorsSay() {
    run();
  }

  @Test
  void eachEpochHasOneWriter() {
    Long only = Long.getLong("seed");
    long made = 0;
    long promotions = 0;
    for (long seed = only == null ? 1 : only; seed <= (only == null ? SEEDS : only); seed++) {
      EpochSimulation simulation = new EpochSimulation(seed, false);
      made += alone(seed, simulation::steps, () -> simulation.run(LENGTH));
      promotions += simulation.promotions();
    }
    assertThat(made).isPositive();
    if (only == null) {
      assertThat(promotions).isPositive();
    }
  }

  /** The simulation is of use only if it finds servers that do not stop. */
  @Test
  void findsAServerThatGoesOnBelowALaterEpoch() {
    int found = 0;
    for (long seed = 1; seed <= 20; seed++) {
      EpochSimulation simulation = new EpochSimulation(seed, true);
      try {
        int _ = alone(seed, simulation::steps, () -> simulation.run(LENGTH));
      } catch (AssertionError _) {
        found++;
      }
    }
    assertThat(found).isPositive();
  }

  /** A seed that fails is of use only if it does so again. */
  @Test
  void doesTheSameAgain() {
    for (long seed = 1; seed <= 5; seed++) {
      assertThat(runAlone(seed).steps()).isEqualTo(runAlone(seed).steps());
    }
  }

  private static void run() {
    Long only = Long.getLong("seed");
    long acknowledged = 0;
    for (long seed = only == null ? 1 : only; seed <= (only == null ? SEEDS : only); seed++) {
      acknowledged += runAlone(seed).acknowledged();
    }
    assertThat(acknowledged).isPositive();
  }

  /** Runs a seed in a thread of its own, with which what servers keep for their threads goes. */
  private static Simulation runAlone(long seed) {
    Simulation simulation = new Simulation(seed);
    int _ =
        alone(
            seed,
            simulation::steps,
            () -> {
              simulation.run(LENGTH);
              return simulation.acknowledged();
            });
    return simulation;
  }

  private static int alone(long seed, Supplier<List<String>> steps, Supplier<Integer> run) {
    try {
      return CompletableFuture.supplyAsync(run, task -> new Thread(task).start()).join();
    } catch (CompletionException e) {
      throw new AssertionError(
          "-Dseed=" + seed + "\n" + String.join("\n", steps.get()) + "\n" + e.getMessage(),
          e.getCause());
    }
  }
}
