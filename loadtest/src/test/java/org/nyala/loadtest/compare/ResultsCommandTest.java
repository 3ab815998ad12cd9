package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.engine.StubServer;
import org.nyala.loadtest.workload.ExitCode;

/** Comparisons of saved results. */
class ResultsCommandTest {
  @TempDir static Path folder;
  private static String measured = "";

  private final LoadTester tester = new LoadTester();

  @BeforeAll
  static void measure() throws Exception {
    StubServer.Behaviour right = (request, _, out) -> out.write(StubServer.right(request));
    Path file = folder.resolve("measured.json");
    try (StubServer server = StubServer.start(right)) {
      LoadTester tester = new LoadTester();
      assertThat(
              tester.run(
                  "search",
                  "--url=ldap://127.0.0.1:" + server.address().getPort(),
                  "--users=10",
                  "--connections=1",
                  "--interval=0.05",
                  "--warmup-seconds=0",
                  "--seconds=0.3",
                  "--json=" + file))
          .as(tester.out() + tester.err())
          .isZero();
    }
    measured = Files.readString(file);
  }

  private static JsonObject job(JsonObject document) {
    return document.getAsJsonArray("jobs").get(0).getAsJsonObject();
  }

  /** The measured result, changed. */
  private static Path result(String name, Consumer<JsonObject> change) throws Exception {
    JsonObject document = JsonParser.parseString(measured).getAsJsonObject();
    job(document).addProperty("disturbed", false);
    change.accept(document);
    return Files.writeString(folder.resolve(name), document.toString());
  }

  /** A result with so many a second, in 30 intervals and on the whole. */
  private static Path rate(String name, double rate) throws Exception {
    Random random = new Random(name.hashCode());
    return result(
        name,
        document -> {
          JsonArray rates = new JsonArray();
          for (int i = 0; i < 30; i++) {
            rates.add(rate * (0.98 + 0.04 * random.nextDouble()));
          }
          job(document).getAsJsonObject("overTime").add("rate", rates);
          job(document).addProperty("rate", rate);
        });
  }

  private int compare(Object... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "compare-results";
    for (int i = 0; i < arguments.length; i++) {
      all[i + 1] = arguments[i].toString();
    }
    return tester.run(all);
  }

  @Test
  void shouldFailIfTheRateFell() throws Exception {
    Path before = rate("before.json", 1000);
    Path after = rate("after.json", 900);
    Path file = folder.resolve("comparison.json");

    assertThat(compare(before, after, "--fail-if", "rate<0.85")).as(tester.err()).isZero();
    assertThat(compare(after, "--baseline", before, "--fail-if=rate<0.95", "--json", file))
        .isEqualTo(ExitCode.FAILED);

    assertThat(tester.out())
        .containsPattern(
            "(?m)^.*after.json, search: rate is 0\\.(89|90|91) \\(0\\.\\d\\d - 0\\.\\d\\d\\) times"
                + " that of the baseline, and the comparison fails if rate<0\\.95\\.$")
        .contains("Each side is one test");
    JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    JsonObject ratio = json.getAsJsonArray("ratios").get(0).getAsJsonObject();
    assertThat(ratio.get("figure").getAsString()).isEqualTo("rate");
    assertThat(ratio.get("ratio").getAsDouble()).isBetween(0.88, 0.92);
    assertThat(ratio.get("low95").getAsDouble()).isBetween(0.85, ratio.get("ratio").getAsDouble());
    assertThat(ratio.get("high95").getAsDouble()).isBetween(ratio.get("ratio").getAsDouble(), 0.95);
    assertThat(json.getAsJsonArray("failures")).hasSize(1);
  }

  @Test
  void shouldBeSureOnRequest() throws Exception {
    Path before = rate("sure-before.json", 1000);
    Path after = rate("sure-after.json", 945);

    String bound = "--fail-if=rate<0.9451";
    assertThat(compare(before, after, "--fail-if=rate<0.99", "--surely"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(tester.out()).contains("rate<0.99 for the whole interval");
    assertThat(compare(before, after, bound, "--surely")).as(tester.out()).isZero();
  }

  @Test
  void shouldTakeRepetitionsTogether() throws Exception {
    StringBuilder before = new StringBuilder();
    StringBuilder after = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      String comma = i == 0 ? "" : ",";
      before.append(comma).append(rate("before-" + i + ".json", 1000 + i));
      after.append(comma).append(rate("after-" + i + ".json", 2000 + i));
    }
    assertThat(compare(before, after, "--fail-if=rate>1.9")).isEqualTo(ExitCode.FAILED);

    assertThat(tester.out())
        .contains("rate is 2.00 (")
        .doesNotContain("Each side is one test")
        .doesNotContain("Warning: fewer than five");
    assertThat(compare(before, rate("alone.json", 1000))).isZero();
    assertThat(tester.out()).contains("Warning: fewer than five");
  }

  @Test
  void shouldFailIfAFigureIsNotKnown() throws Exception {
    Path before = rate("before.json", 1000);
    assertThat(compare(before, before, "--fail-if=server-cpu>1.1")).isEqualTo(ExitCode.FAILED);
    assertThat(tester.out()).contains("server-cpu is not known in both");
  }

  @Test
  void shouldRefuseOtherTestsAndNameTheDifference() throws Exception {
    Path one = rate("one.json", 1000);
    Path other =
        result(
            "other.json",
            document -> {
              JsonObject settings = job(document).getAsJsonObject("settings");
              settings.addProperty("connections", "64");
              settings.addProperty("mix", "search=1");
            });

    assertThat(compare(one, other)).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err())
        .contains(
            other
                + " cannot be compared with "
                + one
                + ", since they differ in connections: 64 instead of 1, mix: search=1 instead of"
                + " -");
  }

  @Test
  void shouldRefuseWhatIsNoResult() throws Exception {
    Path one = rate("one.json", 1000);
    Path older = result("older.json", document -> document.remove("version"));
    Path knee = result("knee.json", document -> document.addProperty("kind", "knee"));
    Path cut = result("cut.json", document -> job(document).remove("overTime"));
    Path noJson = Files.writeString(folder.resolve("no.json"), "{");
    Path array = Files.writeString(folder.resolve("array.json"), "[]");

    refuses(one, older, "results of version 1, as this load tester writes; found the version none");
    refuses(one, knee, "results of a test (kind load); found the kind knee");
    refuses(one, cut, "found a document without some of their keys");
    refuses(one, noJson, "found no JSON");
    refuses(one, array, "found other JSON");
    assertThat(compare(one)).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("FILE must be two results, or one and --baseline");
    assertThat(compare(one, folder.resolve("none.json"))).isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("there is no file ");
    assertThat(compare(one, one, "--fail-if=rte<1")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("--fail-if must be a figure (rate, p50, p99, server-cpu");
  }

  private void refuses(Path one, Path other, String reason) {
    assertThat(compare(one, other)).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains(other + ": expected ").contains(reason);
  }

  /** A file that is cut or damaged anywhere is refused in a sentence, never by a defect. */
  @Test
  void shouldRefuseDamagedResults() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    Path one = rate("one.json", 1000);
    for (int i = 0; i < 200; i++) {
      char[] text = measured.toCharArray();
      for (int j = 0; j < 3; j++) {
        text[random.nextInt(text.length)] = "{}[]\",:0a-".charAt(random.nextInt(10));
      }
      Path damaged = Files.writeString(folder.resolve("damaged.json"), new String(text));
      LoadTester own = new LoadTester();
      int exit = own.run("compare-results", one.toString(), damaged.toString());
      assertThat(exit).as("seed %d, file %d", seed, i).isIn(0, 1, 2, 3);
      assertThat(own.err()).as("seed %d, file %d", seed, i).doesNotContain("Exception", "at org.");
    }
  }

  @Test
  void shouldSayErrorsDisturbancesAndOtherMachines() throws Exception {
    Path one = rate("one.json", 1000);
    Path wrong =
        result(
            "wrong.json",
            document -> {
              job(document).addProperty("errorCount", 3);
              job(document).addProperty("errorsInWords", "3 x wrong answer");
              document.getAsJsonObject("facts").addProperty("cores", "96");
            });
    Path disturbed =
        result("disturbed.json", document -> job(document).addProperty("disturbed", true));

    assertThat(compare(one, wrong)).isEqualTo(ExitCode.FAILED);
    assertThat(tester.out())
        .contains(wrong + ": search had errors: 3 x wrong answer")
        .contains("Warning: " + wrong + " is of another machine: cores: 96 instead of ");
    assertThat(compare(one, disturbed)).isEqualTo(ExitCode.DISTURBED);
    assertThat(tester.out()).contains("the load tester of " + disturbed + " was disturbed");
    assertThat(compare(one, disturbed, "--allow-disturbed")).isZero();
  }
}
