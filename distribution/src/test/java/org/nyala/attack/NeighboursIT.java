package org.nyala.attack;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.attack.Watcher.Question;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;
import org.nyala.tarball.Tarball;

/**
 * Runs all attacks at once beside other clients, which are served as if there were none.
 *
 * <p>{@code -Dnyala.attack.seconds=N} attacks for longer, {@code -Dnyala.attack.people=1000000} in
 * a larger directory, {@code -Dnyala.attack.rounds=N} tries more random searches; {@code
 * -Dnyala.attack.only=NAME} runs one attack, {@code -Dnyala.attack.heaps=true} also attacks a
 * server with the heap of its launcher, {@code -Dnyala.attack.slack=1} applies the bounds of an
 * otherwise idle machine.
 */
@EnabledOnOs(OS.LINUX)
@Tag("alone")
class NeighboursIT {
  private static final String DEFAULT_HEAP = "";
  private static final String SMALL_HEAP = "-Xmx128m";
  private static final int STOP_MILLIS = 1000 * (AttackedServer.DRAIN_SECONDS + Storm.SLACK);
  private static final double LIMIT_MILLIS = 100 * Storm.SLACK;

  @TempDir static Path folder;

  private static HostileDirectory directory;

  @BeforeAll
  static void importHostileData() throws Exception {
    directory = HostileDirectory.create(folder, Tarball.unpack(folder.resolve("opt")));
  }

  private static List<Attack> attacks() {
    String only = System.getProperty("nyala.attack.only", "");
    return Attacks.all().stream()
        .filter(attack -> only.isEmpty() || attack.name().equals(only))
        .toList();
  }

  /** The heap that is the harder one, or both. */
  private static List<String> heaps() {
    return Boolean.getBoolean("nyala.attack.heaps")
        ? List.of(DEFAULT_HEAP, SMALL_HEAP)
        : List.of(SMALL_HEAP);
  }

  @ParameterizedTest
  @MethodSource("heaps")
  void shouldServeNeighboursWhateverOthersAskAndForgetThem(String javaOptions) throws Exception {
    int seconds = Integer.getInteger("nyala.attack.seconds", 4);
    try (AttackedServer server = directory.serve(javaOptions);
        Storm storm = Storm.begin(server, directory.people())) {
      storm.rage(attacks(), seconds);
      storm.print();
      storm.assertServed();
      Patience.eventually("no operation of them is left", server::isAtRest);
      stopDuringAttacks(server);
    }
  }

  private static void stopDuringAttacks(AttackedServer server) throws Exception {
    try (AttackRun run = new AttackRun(server.port())) {
      for (Attack attack : attacks()) {
        attack.start(run);
      }
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
      long stopMillis = server.stop();
      System.out.println("stopped during attacks after " + stopMillis + " ms");
      assertThat(stopMillis).as("milliseconds to stop").isLessThan(STOP_MILLIS);
    }
    server.assertQuietLog();
  }

  @Test
  void shouldEndSearchesWhenTheirTimeIsOverAndWhenTheyAreAbandoned() throws Exception {
    try (AttackedServer server = directory.serve(DEFAULT_HEAP)) {
      Questions ask = new Questions(server.port(), directory.people(), server::executing);
      SoftAssertions all = new SoftAssertions();
      for (RepeatedSearch attack : RepeatedSearch.all()) {
        Login login = attack.login().orElse(null);
        Map<String, Question> questions = new LinkedHashMap<>();
        questions.put("time limit", ask.timeLimit("127.0.0.2", login, attack.search()));
        questions.put("cancel", ask.cancel("127.0.0.2", login, attack.search()));
        questions.put("abandon", ask.abandon("127.0.0.2", login, attack.search()));
        assertHold(all, attack, questions);
      }
      all.assertAll();
    }
  }

  /** Asks all questions at once, which wait for longer than they work. */
  private static void assertHold(
      SoftAssertions all, RepeatedSearch attack, Map<String, Question> questions)
      throws InterruptedException {
    try (ExecutorService threads = Executors.newFixedThreadPool(questions.size())) {
      Map<String, Future<Long>> answers = new LinkedHashMap<>();
      questions.forEach((what, question) -> answers.put(what, threads.submit(question::ask)));
      for (Map.Entry<String, Future<Long>> answer : answers.entrySet()) {
        assertHolds(all, answer.getKey(), attack, answer.getValue());
      }
    } finally {
      questions.values().forEach(Question::close);
    }
  }

  private static void assertHolds(
      SoftAssertions all, String what, RepeatedSearch attack, Future<Long> answer)
      throws InterruptedException {
    try {
      double millis = answer.get() / 1e6;
      System.out.printf("%-24s %-12s %8.1f ms too long%n", attack.name(), what, millis);
      all.assertThat(millis).as("%s of %s", what, attack.name()).isLessThan(LIMIT_MILLIS);
    } catch (ExecutionException e) {
      System.out.println(attack.name() + " " + what + ": " + e.getCause());
      all.fail(what + " of " + attack.name(), e.getCause());
    }
  }

  @Test
  void shouldServeNeighboursBesideWhatNobodyHasThoughtOf() throws Exception {
    long seed = Seeds.seed();
    try (AttackedServer server = directory.serve(DEFAULT_HEAP);
        Storm storm = Storm.begin(server, directory.people())) {
      WorstSearches worst = new WorstSearches(seed, Integer.getInteger("nyala.attack.rounds", 12));
      storm.count();
      worst.run(server, storm);
      storm.calm();
      worst.print();
      storm.print();
      storm.assertServed();
      worst.assertShortSlices();
    }
  }
}
