package org.nyala.attack;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.assertj.core.api.SoftAssertions;
import org.nyala.attack.AttackedServer.LongestSlice;
import org.nyala.attack.Requests.Search;
import org.nyala.loadtest.result.MachineTime;
import org.nyala.management.bean.OperationsMXBean.Times;

/**
 * A search, among random ones, for the one that neighbours wait for the longest and the one that
 * holds a thread the longest.
 *
 * <p>By the clock, slices seem long as well if the machine takes the processor away or the JVM
 * stops for garbage, so that they are bounded in processor time. The compiler may still be at work
 * on the code of a slice; that does not happen in each repetition of a search.
 *
 * <p>Confined to one thread.
 */
final class WorstSearches {
  private static final int CONNECTIONS = 2;
  private static final int SHOWN = 5;
  private static final int SHOWN_CHARACTERS = 70;
  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  /** The repetitions of a search that seems to hold a thread for too long. */
  private static final int REPETITIONS = 3;

  /** The processor time for which a thread may be held, whatever is asked and whoever else runs. */
  private static final double SLICE_MILLIS = 20.0;

  /**
   * The longest slice at all. A slice longer than a round would be noticed only in a later one, and
   * not recur when that is repeated.
   */
  private static final double LONGEST_MILLIS = ROUND_NANOS / 1e6 * Storm.SLACK;

  /** The unit of {@code /proc/stat} (proc(5)). */
  private static final int TICK_MILLIS = 10;

  private static final long SERVED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * The effects of a search.
   *
   * @param longestNanos the longest wait of a neighbour
   * @param slice the longest slices; the shortest of those if the search was repeated
   * @param stolenMillis the time that the host took from this machine's processors; the longest if
   *     the search was repeated. A thread's processor time may contain it
   */
  private record Round(
      int number, Search search, long longestNanos, LongestSlice slice, long stolenMillis) {
    boolean isHolding() {
      return sliceNanos() / 1e6 >= SLICE_MILLIS;
    }

    long sliceNanos() {
      return slice.processorNanos();
    }

    Round and(Round again) {
      return new Round(
          number,
          search,
          Math.max(longestNanos, again.longestNanos),
          new LongestSlice(
              Math.min(slice.clockNanos(), again.slice.clockNanos()),
              Math.min(sliceNanos(), again.sliceNanos())),
          Math.max(stolenMillis, again.stolenMillis));
    }

    @Override
    public String toString() {
      byte[] filter = search.filter();
      int shown = Math.min(filter.length, SHOWN_CHARACTERS);
      return String.format(
          Locale.ROOT,
          "round %d: %.1f ms, slice %.1f ms (clock %.1f, stolen %d), base '%s', scope %d, filter of %d bytes: %s",
          number,
          longestNanos / 1e6,
          sliceNanos() / 1e6,
          slice.clockNanos() / 1e6,
          stolenMillis,
          search.base(),
          search.scope(),
          filter.length,
          new String(filter, 0, shown, ISO_8859_1).replaceAll("[^ -~]", "."));
    }
  }

  private final long seed;
  private final int rounds;
  private final RandomSearches searches;
  private final List<Round> seen = new ArrayList<>();
  private Map<String, Times> slices = Map.of();
  private LongestSlice longest = new LongestSlice(0, 0);

  WorstSearches(long seed, int rounds) {
    this.seed = seed;
    this.rounds = rounds;
    this.searches = new RandomSearches(seed);
  }

  /** Runs one search after the other beside the neighbours of a storm. */
  void run(AttackedServer server, Storm storm) {
    // Longer slices until now are those of a server that was not warm.
    server.takeLongestSlice();
    for (int number = 0; number < rounds && server.isAlive(); number++) {
      Search search = searches.next();
      byte[] message = search.message(2, searches.attributes());
      Round round = round(server, storm, number, search, message);
      for (int i = 0; i < REPETITIONS && round.isHolding() && server.isAlive(); i++) {
        System.out.println("again " + round);
        round = round.and(round(server, storm, number, search, message));
      }
      seen.add(round);
    }
    if (server.isAlive()) {
      takeSlice(server);
      slices = server.slices();
    }
  }

  private Round round(
      AttackedServer server, Storm storm, int number, Search search, byte[] message) {
    storm.takeLongestNanos();
    takeSlice(server);
    MachineTime before = MachineTime.now();
    try (AttackRun run = new AttackRun(server.port())) {
      for (int i = 0; i < CONNECTIONS; i++) {
        run.start("round", () -> ask(run, message));
      }
      LockSupport.parkNanos(ROUND_NANOS);
    }
    long waitNanos = longestNanos(storm);
    long stolen = MachineTime.now().stolen() - before.stolen();
    return new Round(number, search, waitNanos, takeSlice(server), stolen * TICK_MILLIS);
  }

  private LongestSlice takeSlice(AttackedServer server) {
    LongestSlice taken = server.takeLongestSlice();
    longest =
        new LongestSlice(
            Math.max(longest.clockNanos(), taken.clockNanos()),
            Math.max(longest.processorNanos(), taken.processorNanos()));
    return taken;
  }

  /**
   * Returns the longest wait that this round has caused; the next one begins when no client waits.
   */
  private static long longestNanos(Storm storm) {
    long longest = storm.takeLongestNanos();
    long begun = System.nanoTime();
    long last = longest;
    while (last > SERVED_NANOS && System.nanoTime() - begun < PATIENCE_NANOS) {
      LockSupport.parkNanos(LOOK_NANOS);
      last = storm.takeLongestNanos();
      longest = Math.max(longest, last);
    }
    return longest;
  }

  private static void ask(AttackRun run, byte[] message) throws IOException {
    Wire wire = run.connect();
    try {
      while (!run.isOver()) {
        wire.send(message);
        wire.read();
      }
    } finally {
      run.end(wire);
    }
  }

  void print() {
    System.out.println("the worst of " + seen.size() + " searches, seed " + seed);
    print(Round::longestNanos);
    System.out.println("those with the longest slices");
    print(Round::sliceNanos);
    System.out.printf(
        Locale.ROOT,
        "longest slice of all %.1f ms of processor time, %.1f ms by the clock%n",
        longest.processorNanos() / 1e6,
        longest.clockNanos() / 1e6);
    slices.forEach(
        (operation, times) ->
            System.out.printf(
                Locale.ROOT,
                "slices of %-9s %9d  p50 %.3f  p99 %.3f  p99.9 %.3f ms%n",
                operation,
                times.count(),
                times.medianMicros() / 1e3,
                times.percentile99Micros() / 1e3,
                times.percentile999Micros() / 1e3));
  }

  private void print(ToLongFunction<Round> nanos) {
    seen.stream()
        .sorted(Comparator.comparingLong(nanos).reversed())
        .limit(SHOWN)
        .forEach(System.out::println);
  }

  /** Fails if a search holds a thread for too long each time. */
  void assertShortSlices() {
    SoftAssertions bounds = new SoftAssertions();
    for (Round round : seen) {
      bounds.assertThat(round.sliceNanos() / 1e6).as("slice of " + round).isLessThan(SLICE_MILLIS);
    }
    bounds.assertThat(longest.clockNanos() / 1e6).as("longest slice").isLessThan(LONGEST_MILLIS);
    bounds.assertAll();
  }
}
