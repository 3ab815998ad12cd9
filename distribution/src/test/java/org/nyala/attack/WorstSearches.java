package org.nyala.attack;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.nyala.attack.Requests.Search;

/**
 * A look for the search that neighbours wait for the longest, among random ones.
 *
 * <p>Confined to one thread.
 */
final class WorstSearches {
  private static final int CONNECTIONS = 2;
  private static final int SHOWN = 5;
  private static final int SHOWN_CHARACTERS = 70;
  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private static final long SERVED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private record Round(int number, Search search, long longestNanos) {
    @Override
    public String toString() {
      byte[] filter = search.filter();
      int shown = Math.min(filter.length, SHOWN_CHARACTERS);
      return String.format(
          Locale.ROOT,
          "round %d: %.1f ms, base '%s', scope %d, filter of %d bytes: %s",
          number,
          longestNanos / 1e6,
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

  WorstSearches(long seed, int rounds) {
    this.seed = seed;
    this.rounds = rounds;
    this.searches = new RandomSearches(seed);
  }

  /** Asks one after the other beside the neighbours of a storm. */
  void run(AttackedServer server, Storm storm) {
    for (int number = 0; number < rounds && server.isAlive(); number++) {
      Search search = searches.next();
      byte[] message = search.message(2, searches.attributes());
      storm.takeLongestNanos();
      try (AttackRun run = new AttackRun(server.port())) {
        for (int i = 0; i < CONNECTIONS; i++) {
          run.start("round", () -> ask(run, message));
        }
        LockSupport.parkNanos(ROUND_NANOS);
      }
      seen.add(new Round(number, search, longestNanos(storm)));
    }
  }

  /** The longest wait that this round has brought about; the next one begins when nobody waits. */
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
    seen.stream()
        .sorted(Comparator.comparingLong(Round::longestNanos).reversed())
        .limit(SHOWN)
        .forEach(System.out::println);
  }
}
