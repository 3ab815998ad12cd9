package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.ClusterOfProcesses.Member;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.NoticeKind;

/** The views of a cluster and its alarms, while members go away one after the other. */
@Timeout(300)
class ClusterMonitoringTest {
  @TempDir Path folder;

  private static boolean isRaised(Member member, NoticeKind kind) throws Exception {
    boolean isShown = member.run("status").contains("cluster");
    String metric = "ldap_server_alarm{alarm=\"" + kind.label() + "\"} 1.0";
    return isShown && member.get("/metrics").body().contains(metric);
  }

  private static void shouldRaise(Member member, NoticeKind kind) throws Exception {
    eventually(kind + " is raised", () -> isRaised(member, kind));
  }

  @Test
  void shouldShowTheStateOfEachMemberAndRaiseAlarms() throws Exception {
    try (ClusterOfProcesses cluster =
        new ClusterOfProcesses(folder, "silentSeconds = 1, electionMillis = 200").form(3)) {
      Member leader = cluster.leader();
      List<Member> others =
          cluster.members().stream().filter(each -> !each.equals(leader)).toList();
      shouldShow(leader, others);

      others.getFirst().kill();
      shouldRaise(leader, NoticeKind.CLUSTER_SILENT);
      shouldRaise(leader, NoticeKind.CLUSTER_BARE_MAJORITY);
      assertThat(leader.get("/ready/write").statusCode()).isEqualTo(200);
      assertThat(leader.run("status")).contains("Only 2 of 3 members are there");
      others.getFirst().start();
      eventually("all is well", () -> !isRaised(leader, NoticeKind.CLUSTER_BARE_MAJORITY));
      assertThat(isRaised(leader, NoticeKind.CLUSTER_SILENT)).isFalse();

      others.forEach(Member::kill);
      shouldRaise(leader, NoticeKind.CLUSTER_LEADERLESS);
      assertThat(leader.status())
          .contains("changes   none are made, for no member leads; reads go on");
      assertThat(leader.get("/ready").statusCode()).isEqualTo(200);
      assertThat(leader.get("/ready/write").statusCode()).isEqualTo(503);
      try (LDAPConnection client = leader.connect()) {
        assertThat(client.getEntry(ClusterOfProcesses.ENTRY)).isNotNull();
      }
      others.getLast().start();
      eventually("a member leads", () -> !isRaised(leader, NoticeKind.CLUSTER_LEADERLESS));
      assertThat(leader.process.log())
          .contains(": No member leads: changes are refused")
          .contains(": over: No member leads: changes are refused");
    }
  }

  /** Requires the same in the command, JMX, {@code cn=Monitor} and Prometheus. */
  private static void shouldShow(Member leader, List<Member> others) throws Exception {
    Map<String, String> state = state(leader);
    assertThat(state)
        .containsEntry("role", "leader")
        .containsEntry("member", leader.id())
        .containsEntry("leader", leader.id())
        .containsKeys("current term", "member 1", "member 2", "member 3");
    assertThat(state.keySet()).hasSize(9);
    assertThat(leader.status()).contains("term      " + state.get("current term"));
    for (Member other : others) {
      assertThat(state(other)).containsEntry("role", "follower");
      assertThat(state(other)).containsEntry("leader", leader.id());
      assertThat(state.toString()).contains(other.id() + " (127.0.0.1:" + other.peers + "), lacks");
    }

    Map<String, String> monitored = new TreeMap<>();
    try (LDAPConnection client = leader.connect()) {
      for (SearchResultEntry entry :
          client
              .search(
                  "cn=Overlays,cn=Monitor",
                  SearchScope.SUB,
                  "(&(objectClass=monitoredObject)(monitoredInfo=*))",
                  "cn",
                  "monitoredInfo")
              .getSearchEntries()) {
        monitored.put(entry.getAttributeValue("cn"), entry.getAttributeValue("monitoredInfo"));
      }
    }
    assertThat(monitored)
        .containsKeys(state.keySet().toArray(String[]::new))
        .containsEntry("role", "leader")
        .containsEntry("current term", state.get("current term"));

    String metrics = leader.get("/metrics").body();
    assertThat(metrics)
        .contains("ldap_extension_cluster_role{role=\"leader\"} 1.0")
        .contains("ldap_extension_cluster_role{role=\"follower\"} 0.0")
        .contains("ldap_extension_cluster_term " + state.get("current term") + ".0")
        .contains("ldap_server_alarm{alarm=\"cluster.noLeader\"} 0.0");
    for (Member other : others) {
      assertThat(metrics)
          .containsPattern(
              Pattern.quote("ldap_extension_cluster_member_lag{member=\"" + other.id()) + ".*} ");
    }
    shouldHaveWhatTheDashboardAsksFor(metrics);
  }

  private static Map<String, String> state(Member member) throws Exception {
    try (LocalManagement management = LocalManagement.attach(member.process.pid())) {
      return management.extensions().getStates().get("cluster");
    }
  }

  private static void shouldHaveWhatTheDashboardAsksFor(String metrics) throws IOException {
    Matcher names =
        Pattern.compile("\\b(ldap_extension_cluster_[a-z_]+)")
            .matcher(Files.readString(Path.of("src/packaging/conf/grafana-dashboard.json")));
    int found = 0;
    while (names.find()) {
      assertThat(metrics).containsPattern("\n" + names.group(1) + "[{ ]");
      found++;
    }
    assertThat(found).isGreaterThan(5);
  }
}
