package org.nyala.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.access.AccessPolicy;

/** The action that forms a cluster of the servers at some addresses. */
class FormingTest {
  private static final Pattern MEMBERS = Pattern.compile("(?m)^(?:leader|follower) +(\\S+) \\(");

  @TempDir private Path folder;

  private LiveCluster cluster;
  private LiveCluster.Member first;
  private LiveCluster.Member second;
  private LiveCluster.Member third;

  @BeforeEach
  void make() throws IOException {
    cluster = new LiveCluster(folder, new AccessPolicy(true), new Writes(true, 1_000), 10);
    first = cluster.empty(folder.resolve("m0"));
    second = cluster.empty(folder.resolve("m1"));
    third = cluster.empty(folder.resolve("m2"));
  }

  @AfterEach
  void end() {
    cluster.close();
  }

  private String form(LiveCluster.Member by, String... more) {
    List<String> words = new ArrayList<>(List.of("form"));
    words.addAll(List.of(more));
    cluster.members.forEach(each -> words.add(each.address()));
    return by.outcome(words.toArray(String[]::new));
  }

  private void shouldBecomeMember(LiveCluster.Member by) {
    eventually("a member", () -> form(by).startsWith("0 "));
  }

  private List<String> members(LiveCluster.Member by) {
    return MEMBERS
        .matcher(by.outcome("status"))
        .results()
        .map(found -> found.group(1))
        .sorted()
        .toList();
  }

  private void shouldForm() {
    assertThat(form(first, "--found")).startsWith("0 ").contains("as its only member");
    shouldBecomeMember(second);
    shouldBecomeMember(third);
    eventually("three members", () -> members(first).size() == 3);
  }

  private void loseData(LiveCluster.Member of) throws IOException {
    of.stop();
    try (Stream<Path> files = Files.walk(of.data)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
    Files.createDirectories(of.data);
    cluster.create(of);
  }

  @Test
  void shouldFoundOnlyIfAskedToAndOnlyWhatNobodyElseCanHave() throws Exception {
    first.start();
    second.start();
    assertThat(form(first, "--found"))
        .startsWith("1 no member answers, and this server waits for one; silent are:")
        .contains(third.address())
        .doesNotContain(second.address());
    // One that has data may have those of a cluster.
    cluster.fill(third);
    third.start();
    assertThat(form(first, "--found"))
        .startsWith("1 no member answers")
        .contains("it has data, and belongs to no cluster");
    loseData(third);
    third.start();
    assertThat(form(first)).startsWith("1 no server belongs to a cluster: this one founds it only");
    assertThat(form(second, "--found"))
        .startsWith("1 no server belongs to a cluster: " + first.address() + " may found it");
    // The first one of a list of its own, at the same time: nobody counts on it.
    second.cluster.forming().decide(true);
    assertThat(form(first, "--found"))
        .startsWith("1 no member answers")
        .contains("it decides whether it founds a cluster");
    second.cluster.forming().decide(false);
    for (LiveCluster.Member each : cluster.members) {
      assertThat(each.cluster.log()).isNull();
    }
    shouldForm();
    // Again and again, also after a start.
    second.stop();
    second.start();
    shouldBecomeMember(second);
    assertThat(form(first, "--found")).startsWith("0 this server is a member of the cluster ");
    assertThat(members(first)).hasSize(3);
  }

  @Test
  void shouldRefuseToFoundOnDataOfUnknownOrigin() throws Exception {
    cluster.fill(first);
    cluster.members.forEach(LiveCluster.Member::start);
    assertThatThrownBy(() -> form(first, "--found"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("this server has data, and no server belongs to a cluster");
    assertThat(first.cluster.log()).isNull();
    assertThatThrownBy(() -> first.outcome("form", "--found", second.address()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(first.address() + " of this one");
  }

  @Test
  void shouldJoinTheLivingAfterTheLossOfTheFoundersData() throws Exception {
    cluster.members.forEach(LiveCluster.Member::start);
    shouldForm();
    var id = second.cluster.log().cluster();
    String lost = first.cluster.log().id().toString();
    loseData(first);
    second.stop();
    third.stop();
    first.start();
    assertThat(form(first, "--found")).startsWith("1 no member answers");
    assertThat(first.cluster.log()).isNull();
    second.start();
    third.start();
    // The others may have no leader yet.
    assertThat(form(first, "--found", "--wait", "60")).startsWith("0 ");
    assertThat(first.cluster.log().cluster()).isEqualTo(id);
    for (LiveCluster.Member each : cluster.members) {
      eventually(
          "three members without the former one",
          () -> members(each).size() == 3 && !members(each).contains(lost));
    }
  }

  @Test
  void shouldTellOfTwoClustersAndTouchNeither() {
    cluster.members.forEach(LiveCluster.Member::start);
    first.command("init");
    second.command("init");
    for (LiveCluster.Member each : cluster.members) {
      assertThatThrownBy(() -> form(each, "--found"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("the servers belong to different clusters, ")
          .hasMessageContaining(first.cluster.log().cluster().toString())
          .hasMessageContaining(second.cluster.log().cluster().toString());
    }
    assertThat(third.cluster.log()).isNull();
  }
}
