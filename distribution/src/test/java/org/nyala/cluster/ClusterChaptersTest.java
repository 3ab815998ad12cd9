package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.ClusterOfProcesses.Member;

/** The chapters of the page about failures, from their first command to the last one. */
@Timeout(600)
class ClusterChaptersTest {
  @TempDir Path folder;

  private static void put(ClusterOfProcesses cluster, String value) throws Exception {
    eventually("a change is made", () -> isPut(cluster.leader(), value));
  }

  private static boolean isPut(Member leader, String value) {
    try (LDAPConnection client = leader.connect()) {
      ClusterOfProcesses.put(client, value);
      return true;
    } catch (LDAPException e) {
      return false;
    }
  }

  private static String value(Member member) throws LDAPException {
    try (LDAPConnection client = member.connect()) {
      return client.getEntry(ClusterOfProcesses.ENTRY).getAttributeValue("description");
    }
  }

  private static void shouldHave(List<Member> members, String value) throws Exception {
    for (Member each : members) {
      eventually(value + " is there", () -> value.equals(value(each)));
    }
  }

  @Tag("long")
  @Test
  void shouldRestartOneMemberAfterTheOther() throws Exception {
    try (ClusterOfProcesses cluster = new ClusterOfProcesses(folder, "").form(3)) {
      Member leader = cluster.leader();
      List<Member> order = new ArrayList<>(cluster.members());
      order.remove(leader);
      order.add(leader);
      for (Member each : order) {
        put(cluster, "before " + each.port);
        each.command("cluster", "drain");
        each.process.close();
        each.process = null;
        put(cluster, "without " + each.port);
        each.start();
        shouldHave(cluster.members(), "without " + each.port);
      }
    }
  }

  @Tag("long")
  @Test
  void shouldTakeAMemberInAnewWhoseDiskIsLost() throws Exception {
    try (ClusterOfProcesses cluster = new ClusterOfProcesses(folder, "").form(3)) {
      put(cluster, "before");
      Member lost = cluster.members().getLast();
      String id = lost.id();
      lost.kill();
      lost.delete();
      put(cluster, "meanwhile");
      cluster.leader().command("cluster", "remove", id);
      cluster.join(lost);
      put(cluster, "afterwards");
      shouldHave(cluster.members(), "afterwards");
      assertThat(cluster.leader().status()).doesNotContain(id);
    }
  }

  @Test
  void shouldGoOnFromTheLastMemberAsAnotherCluster() throws Exception {
    try (ClusterOfProcesses cluster = new ClusterOfProcesses(folder, "").form(3)) {
      put(cluster, "before");
      shouldHave(cluster.members(), "before");
      Member survivor = cluster.members().get(1);
      Member lost = cluster.members().get(2);
      String former = ClusterOfProcesses.cluster(survivor.status());
      cluster.members().getFirst().kill();
      cluster.members().getFirst().delete();
      lost.kill();

      survivor.process.close();
      Path file = folder.resolve("all.ldif");
      survivor.command("export", "-o", file.toString());
      survivor.setAside();
      survivor.command("import", file.toString());
      survivor.start();
      survivor.command("cluster", "init");
      assertThat(ClusterOfProcesses.cluster(survivor.status())).isNotEqualTo(former);
      assertThat(value(survivor)).isEqualTo("before");

      // One that was thought lost comes back, and stays outside.
      lost.start();
      eventually("a change is made", () -> isPut(survivor, "afterwards"));
      assertThat(ClusterOfProcesses.cluster(lost.status())).isEqualTo(former);
      assertThat(value(lost)).isEqualTo("before");
      assertThat(isPut(lost, "elsewhere")).isFalse();
      lost.kill();
      lost.delete();
      cluster.join(survivor, lost);
      shouldHave(List.of(survivor, lost), "afterwards");
      assertThat(Files.exists(survivor.folder.resolve("data.former"))).isTrue();
    }
  }
}
