package org.nyala.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs commands of Debian's clients and compares their results: the files in {@code behaviour}, in
 * the format of {@link BehaviourScript}.
 *
 * <p>With {@code -Dnyala.behaviour.against=slapd} the same cases run against Debian's slapd. With
 * {@code -Dnyala.behaviour.actual=FOLDER} the files are written there with the actual results.
 */
class BehaviourTest {
  private static final boolean SLAPD =
      "slapd".equals(System.getProperty("nyala.behaviour.against"));
  private static final String ACTUAL = System.getProperty("nyala.behaviour.actual", "");

  private static final String DIFFERENCES = readDifferences();

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "populate",
        "search",
        "modify",
        "rename",
        "passwords",
        "language",
        "extensible-match",
        "referrals",
        "certificates",
        "dn",
        "empty-suffix",
        "relax",
        "controls",
        "dereference",
        "details",
        "bounds"
      })
  void shouldBehave(String name) throws Exception {
    BehaviourScript script = BehaviourScript.read(name);
    BehaviourRecord record = new BehaviourRecord(script);
    List<String> failures = new ArrayList<>();
    try (BehaviourServer server = BehaviourServer.start(SLAPD, folder, script)) {
      BehaviourClient client = new BehaviourClient(folder, server.url(), script);
      for (BehaviourScript.Case each : script.cases()) {
        for (BehaviourScript.Step step : each.steps()) {
          assertThat(DIFFERENCES).contains(row(step));
          BehaviourClient.Answer answer = client.run(step);
          record.add(step, answer.outcome());
          BehaviourScript.Outcome expected = SLAPD ? step.expectedOfSlapd() : step.expected();
          if (!answer.outcome().equals(expected)) {
            failures.add(difference(name, each, step, expected, answer));
          }
        }
      }
    }
    if (!ACTUAL.isEmpty()) {
      record.write(Files.createDirectories(Path.of(ACTUAL)));
    }
    assertThat(script.cases()).isNotEmpty();
    assertThat(failures).as(String.join("\n", failures)).isEmpty();
  }

  /** Returns the row of the manual that explains slapd's difference. */
  private static String row(BehaviourScript.Step step) {
    return step.difference().isEmpty() ? "" : "[[" + step.difference() + "]]";
  }

  private static String readDifferences() {
    try {
      return Files.readString(Path.of("../src-docs/differences-from-openldap.adoc"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String difference(
      String name,
      BehaviourScript.Case of,
      BehaviourScript.Step step,
      BehaviourScript.Outcome expected,
      BehaviourClient.Answer answer) {
    return """

        %s.txt:%d: %s
        $ %s
        -- expected
        %s-- but was
        %s-- it said
        %s"""
        .formatted(
            name,
            step.line(),
            of.name(),
            step.command(),
            expected,
            answer.outcome(),
            answer.errors());
  }
}
