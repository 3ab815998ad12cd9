package org.nyala.blind;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.Seeds;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.OperationType;

/**
 * Two servers whose data differ in what a client may not see give the same random requests of that
 * client the same answers, byte for byte, but for {@link Inherent}.
 */
final class NonInterferenceTest {
  private static final int STEPS = Integer.getInteger("nyala.test.blindSteps", 300);

  /** Differences after which a series ends; more than one to look for kinds of them. */
  private static final int MOST_DIFFERENCES = Integer.getInteger("nyala.test.blindDifferences", 1);

  private static final String ONLY = System.getProperty("nyala.test.blindScenario", "");
  private static final List<String> CLIENTS = List.of("", Names.ANN, Names.BOB);
  private static final Set<Object> SENT = new HashSet<>();

  @TempDir Path folder;

  static List<Scenario> scenarios() {
    return Scenario.ALL.stream().filter(each -> each.name().contains(ONLY)).toList();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldAnswerAsIfThereWereNothingHidden(Scenario scenario) throws Exception {
    long seed = Seeds.seed();
    try (Twins twins = new Twins(folder, scenario)) {
      Comparison comparison = new Comparison(twins);
      for (int i = 0; i < CLIENTS.size(); i++) {
        run(twins, comparison, CLIENTS.get(i), seed, i);
      }
      assertThat(comparison.differences()).as("-Dtest.seed=%d", seed).isEmpty();
      assertThat(comparison.successes()).isGreaterThan(STEPS / 40);
      assertThat(comparison.entries()).isGreaterThan(STEPS / 40);
    }
  }

  private static void run(Twins twins, Comparison comparison, String client, long seed, int number)
      throws IOException {
    try (Series series = new Series(twins, comparison, client, seed + number)) {
      for (int i = 0; i < STEPS && comparison.differences().size() < MOST_DIFFERENCES; i++) {
        series.step("-Dtest.seed=" + seed + " '" + client + "' step " + i);
      }
      SENT.addAll(series.sent());
    }
  }

  /** Everything that the server supports is sent in one of the scenarios, also what is new. */
  @AfterAll
  static void shouldHaveSentAllThatIsSupported() {
    if (ONLY.isEmpty()) {
      assertThat(SENT).containsAll(supported());
    }
    SENT.clear();
  }

  private static List<Object> supported() {
    List<Object> all = new ArrayList<>();
    all.addAll(List.of(OperationType.values()));
    all.addAll(List.of(ControlType.values()));
    all.addAll(List.of(FilterNode.class.getPermittedSubclasses()));
    all.addAll(BlindRequests.EXTENDED);
    return all;
  }
}
