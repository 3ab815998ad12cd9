package org.nyala.loadtest.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.cli.JobCommand;
import org.nyala.loadtest.result.ClosedLoopReport;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.Reports;
import org.nyala.loadtest.workload.LoadSettings;

class ShareTest {
  private static LoadSettings whole(String... arguments) throws IOException {
    return JobCommand.settingsOf(List.of(arguments)).getFirst();
  }

  private static List<LoadSettings> shares(LoadSettings whole, int count) {
    return IntStream.range(0, count).mapToObj(i -> new Share(i, count).of(whole)).toList();
  }

  @Test
  void shouldAddUpToTheWhole() throws Exception {
    LoadSettings whole =
        whole("search", "--url=ldap://127.0.0.1", "--users=10", "--connections=11", "--rate=100");

    List<LoadSettings> shares = shares(whole, 3);

    assertThat(shares.stream().mapToInt(LoadSettings::connections).sum()).isEqualTo(11);
    assertThat(shares).allMatch(share -> share.connections() >= 3);
    assertThat(shares.stream().mapToDouble(share -> share.pace().rate()).sum())
        .isCloseTo(100, within(1e-9));
    assertThat(shares).allMatch(share -> share.people().users() == 10);
    assertThat(shares.stream().map(share -> share.pace().flow().seed())).doesNotHaveDuplicates();
    assertThat(shares.getFirst().pace().flow()).isEqualTo(whole.pace().flow());
  }

  @Test
  void shouldSplitARamp() throws Exception {
    LoadSettings whole =
        whole("search", "--url=ldap://127.0.0.1", "--users=10", "--ramp=100:300:4s");

    assertThat(shares(whole, 2))
        .allSatisfy(
            share -> {
              assertThat(share.pace().flow().profile().meanRate()).isEqualTo(100);
              assertThat(share.pace().flow().profile().seconds()).isEqualTo(4);
            });
  }

  /** Two agents must not rename the same person, nor leave one out. */
  @Test
  void shouldGiveEachAgentItsOwnPeople() throws Exception {
    for (String job : List.of("rename", "modify-each", "password-modify")) {
      LoadSettings whole =
          whole(job, "--url=ldap://127.0.0.1", "--users=100", "--connections=7", "--writes");

      List<String> people =
          shares(whole, 3).stream()
              .flatMap(share -> IntStream.range(0, share.people().users()).mapToObj(share::dnOf))
              .toList();

      assertThat(people)
          .containsExactlyElementsOf(IntStream.range(0, 100).mapToObj(whole::dnOf).toList());
    }
  }

  @Test
  void shouldRefuseWhatCannotBeSplit() throws Exception {
    LoadSettings few = whole("search", "--url=ldap://127.0.0.1", "--users=9", "--connections=2");
    assertThatThrownBy(() -> new Share(0, 3).of(few))
        .hasMessage("--connections must be at least the number of agents (3), not 2");
    LoadSettings mixed =
        whole("mixed", "--url=ldap://127.0.0.1", "--users=90", "--mix=search=1,rename=1");
    assertThatThrownBy(() -> new Share(0, 2).of(mixed)).hasMessageContaining("cannot be split");
  }

  @Test
  void shouldJoinHistogramsWithoutLoss() throws Exception {
    long seed = System.nanoTime();
    System.out.println("histograms of agents: seed " + seed);
    Random random = new Random(seed);
    LoadSettings settings = whole("search", "--url=ldap://127.0.0.1", "--users=9");
    Histogram all = new Histogram(org.nyala.loadtest.result.LoopStatistics.MAX_LATENCY_NANOS, 3);
    java.util.ArrayList<LoadReport> transferred = new java.util.ArrayList<>();
    for (int host = 0; host < 5; host++) {
      Histogram own = new Histogram(org.nyala.loadtest.result.LoopStatistics.MAX_LATENCY_NANOS, 3);
      for (int i = 0; i < 2000; i++) {
        long nanos = (long) Math.exp(random.nextDouble() * Math.log(60e9));
        own.recordValue(nanos);
        all.recordValue(nanos);
      }
      LoadReport report =
          ClosedLoopReport.of(settings, 1 + host, 2000, Map.of("timedOut", 1L), own, 1000);
      String text = new AgentResult(host, List.of(report)).text();
      transferred.addAll(AgentResult.of(text, 1).reports());
    }

    LoadReport joined = Reports.ofHosts(settings, transferred, 1);

    assertThat(joined.corrected()).as("seed %d", seed).isEqualTo(all);
    assertThat(joined.uncorrected()).isEqualTo(all);
    assertThat(joined.operations()).isEqualTo(10_000);
    assertThat(joined.errors()).isEqualTo(Map.of("timedOut", 5L, "agentLost", 1L));
    assertThat(joined.resources().client().cpuNanos()).isEqualTo(5000);
    assertThat(joined.seconds()).isEqualTo(5);
    assertThat(joined.rate()).isEqualTo(2000);
  }

  @Test
  void shouldRefuseFiguresThatAreNone() {
    for (String text : List.of("", "{}", "[]", "null", "{\"reports\":[]}", "{\"reports\":3}")) {
      assertThatThrownBy(() -> AgentResult.of(text, 1))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("its figures");
      assertThatThrownBy(() -> AgentTask.of(text)).hasMessage("the message has no test");
    }
  }
}
