package org.nyala.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.loadtest.engine.JobTestCase;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.format.RenderedPage;
import org.nyala.loadtest.workload.ExitCode;

/** Plans with phases, against a server that counts what it is asked. */
class PlanTest extends JobTestCase {
  private static final String TWO_PHASES =
      """
      constants { people = "ou=People,dc=example,dc=com" }
      options { users = 120, bind-dn = "cn=service", password = secret, threads = 2 }
      phases = [
        {
          name = calm
          seconds = 1, warmup-seconds = 0
          jobs = [ { job = search, rate = 50, connections = 2 } ]
        }
        {
          name = morning
          seconds = 2, warmup-seconds = 0
          fail-if = ["p99>5s", "rate<1"]
          jobs = [
            { job = bind, rate = 20, connections = 2 }
            { job = search, rate = 100, connections = 3, filter = "(uid=user.{rand(0,99)})",
              base = ${constants.people} }
            { job = compare, connections = 1, think-time = 100ms }
          ]
        }
      ]
      """;

  @TempDir Path folder;

  private final LoadTester tester = new LoadTester();

  private int run(String plan, String... more) throws Exception {
    Path file = Files.writeString(folder.resolve("plan.conf"), plan);
    List<String> arguments = new ArrayList<>(List.of("plan", file.toString()));
    arguments.add("--url=ldap://127.0.0.1:" + server.getListenPort());
    arguments.add("--allow-disturbed");
    arguments.addAll(List.of(more));
    return tester.run(arguments.toArray(String[]::new));
  }

  @Test
  void shouldRunPhasesOneAfterTheOther() throws Exception {
    int exit = run(TWO_PHASES, "--report=" + folder, "--junit=" + folder.resolve("junit.xml"));

    assertThat(exit).as(tester.err() + tester.out()).isZero();
    assertThat(tester.out()).contains("== calm", "== morning", "bind: 2 connections", "open loop");
    JSONObject results = new JSONObject(Files.readString(folder.resolve("results.json")));
    assertThat(results.getFieldAsString("kind")).isEqualTo("plan");
    JSONObject calm = (JSONObject) results.getFieldAsArray("phases").getFirst();
    JSONObject morning = (JSONObject) results.getFieldAsArray("phases").get(1);
    assertThat(calm.getFieldAsString("name")).isEqualTo("calm");
    assertThat(operations(calm, 0)).isEqualTo(50);
    assertThat(operations(morning, 0)).isEqualTo(40);
    assertThat(operations(morning, 1)).isEqualTo(200);
    assertThat(operations(morning, 2)).isBetween(5, 22);
    assertThat(Files.readString(folder.resolve("junit.xml")))
        .contains("tests=\"10\" failures=\"0\"", "morning: not p99&gt;5s", "calm: every answer");
    RenderedPage page = new RenderedPage(Files.readString(folder.resolve("report.html")));
    assertThat(page.text()).contains("A plan, ldap://127.0.0.1", "morning", "compare");
  }

  private static int operations(JSONObject phase, int job) {
    JSONObject figures = (JSONObject) phase.getFieldAsArray("jobs").get(job);
    return figures.getFieldAsInteger("operations");
  }

  @Test
  void shouldScaleRatesAndPutTheCommandLineFirst() throws Exception {
    int exit = run(TWO_PHASES, "--scale=2", "--seconds=0.5", "--json=" + folder.resolve("r.json"));

    assertThat(exit).as(tester.err() + tester.out()).isZero();
    JSONObject results = new JSONObject(Files.readString(folder.resolve("r.json")));
    assertThat(operations((JSONObject) results.getFieldAsArray("phases").getFirst(), 0))
        .isEqualTo(50);
    assertThat(operations((JSONObject) results.getFieldAsArray("phases").get(1), 1)).isEqualTo(100);
  }

  @Test
  void shouldFailByTheConditionsOfAPhase() throws Exception {
    String failing = TWO_PHASES.replace("rate<1", "rate>1");

    assertThat(run(failing, "--seconds=0.3")).isEqualTo(ExitCode.FAILED);
    assertThat(tester.out())
        .contains("morning: bind: rate is ")
        .doesNotContain("calm: search: rate");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "job = compare|job = conpare|line 17: job must be a job such as search or bind, not conpare",
        "rate = 50,|rate = often,|line 7: search: Invalid value for option '--rate'",
        "seconds = 2,|second = 2,|line 11: a phase has name, seconds, warmup-seconds, options, "
            + "fail-if and jobs, but no second",
        "think-time = 100ms|think = 100ms|line 17: think is no option of jobs in a plan",
        "think-time = 100ms|seconds = 9|line 17: morning: all jobs take the same seconds",
        "rate<1|rates<1|line 12: --fail-if must be a figure",
        "options {|option {|line 2: a plan has url, constants, options and phases, but no option",
        "{constants.people}|{constants.nobody}|Could not resolve substitution",
        "phases = [|phases = 3, x = [|a plan has url, constants, options and phases, but no x",
      })
  void shouldSayWhatIsWrongAndWhere(String right, String wrong, String sentence) throws Exception {
    assertThat(TWO_PHASES).contains(right);

    assertThat(run(TWO_PHASES.replace(right, wrong))).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("plan.conf").contains(sentence);
    assertThat(searches.get()).isZero();
  }

  @Test
  void shouldSayThatThereIsNoPlan() {
    assertThat(tester.run("plan", folder.resolve("none").toString())).isEqualTo(ExitCode.FAILED);
    assertThat(tester.run("plan")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.run("plan", "--preset=squid")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err())
        .contains("--preset must be one of sssd, keycloak, mail, not squid")
        .contains("there is no file", "either a file with the plan or --preset must be given");
  }
}
