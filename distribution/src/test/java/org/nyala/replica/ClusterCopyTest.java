package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncSlapd.SUFFIX;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.LiveMembers;
import org.nyala.cluster.LiveMembers.Member;
import org.nyala.management.bean.SyncMXBean.Copy;
import org.nyala.management.bean.SyncMXBean.Switched;

/** The move from slapd into a cluster, whose leader alone follows slapd until it is promoted. */
@Timeout(300)
class ClusterCopyTest {
  private static final int ENTRIES = 30;

  @TempDir Path folder;

  private static void add(LDAPConnection client, String name) throws LDAPException {
    client.add(
        "ou=" + name + "," + SUFFIX,
        new Attribute("objectClass", "organizationalUnit"),
        new Attribute("ou", name));
  }

  private static ResultCode tryAdd(Member member, String name) throws Exception {
    try (LDAPConnection client = member.connect()) {
      add(client, name);
      return ResultCode.SUCCESS;
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  private static boolean has(LDAPConnection client, String name) throws LDAPException {
    return client.getEntry("ou=" + name + "," + SUFFIX, "1.1") != null;
  }

  private static void awaitAtAll(LiveMembers members, String name) throws Exception {
    for (Member member : members.all()) {
      try (LDAPConnection client = member.connect()) {
        eventually(name + " is at " + member.url(), () -> has(client, name));
      }
    }
  }

  private static Copy copy(Member member) throws Exception {
    return member.sync().getCopies().getFirst();
  }

  private static List<String> csns(Member member) throws Exception {
    try (LDAPConnection client = member.connect()) {
      SearchResultEntry top = client.getEntry(SUFFIX, "contextCSN");
      String[] values = top == null ? null : top.getAttributeValues("contextCSN");
      return values == null ? List.of() : List.of(values);
    }
  }

  private static void shouldFollowAlone(LiveMembers members) throws Exception {
    Member leader = members.leader();
    eventually("the leader follows", () -> copy(leader).phase().equals("following"));
    for (Member other : members.followers()) {
      eventually("the others wait", () -> copy(other).phase().equals("waiting"));
      assertThat(copy(other).ready()).isTrue();
      Switched refused = other.sync().promote(SUFFIX, false, false, 0);
      assertThat(refused.done()).isFalse();
      assertThat(refused.lines().getFirst()).contains("another member of the cluster leads");
    }
  }

  @Test
  void shouldFollowSlapdWhoeverLeadsUntilItIsPromoted() throws Exception {
    Path of = Files.createDirectories(folder.resolve("slapd"));
    try (SyncSlapd slapd = SyncSlapd.changeable(of)) {
      slapd.addTop();
      try (LDAPConnection client = slapd.client()) {
        for (int i = 0; i < ENTRIES; i++) {
          add(client, "before" + i);
        }
      }
      String consuming = SyncedServers.consuming(slapd.url(), SyncSlapd.ADMIN, SyncSlapd.PASSWORD);
      try (LiveMembers members = LiveMembers.form(folder, 3, _ -> consuming)) {
        awaitAtAll(members, "before" + (ENTRIES - 1));
        shouldFollowAlone(members);
        goOn(members, slapd);
        promote(members, slapd);
      }
    }
  }

  /** The next leader goes on from the changes that are in the store. */
  private static void goOn(LiveMembers members, SyncSlapd slapd) throws Exception {
    assertThat(tryAdd(members.leader(), "refused")).isEqualTo(ResultCode.REFERRAL);
    Member next = members.followers().getFirst();
    members.transfer(next);
    shouldFollowAlone(members);
    try (LDAPConnection client = slapd.client()) {
      add(client, "after");
      awaitAtAll(members, "after");
      client.delete("ou=before0," + SUFFIX);
    }
    for (Member member : members.all()) {
      try (LDAPConnection client = member.connect()) {
        eventually("a deletion is at all", () -> !has(client, "before0"));
      }
    }
    // Slapd names entries that it has not changed; of those only the numbers come.
    assertThat(copy(next).written()).isLessThan(ENTRIES);
    eventually(
        "contextCSN is the same",
        () -> members.all().stream().map(ClusterCopyTest::known).distinct().count() == 1);
  }

  private static List<String> known(Member member) {
    try {
      return csns(member);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void promote(LiveMembers members, SyncSlapd slapd) throws Exception {
    Member leader = members.leader();
    slapd.follow(leader.port());
    Switched promoted = leader.sync().promote(SUFFIX, false, false, 20);
    assertThat(promoted.done()).as("%s", promoted.lines()).isTrue();
    assertThat(tryAdd(leader, "promoted")).isEqualTo(ResultCode.SUCCESS);
    awaitAtAll(members, "promoted");

    // The others have it from the log, and change entries once they lead.
    Member next = members.followers().getFirst();
    members.transfer(next);
    eventually("the next leader changes it", () -> isAdded(next));
    awaitAtAll(members, "next");
    for (Member member : members.all()) {
      assertThat(copy(member).phase()).isEqualTo("promoted");
    }
    try (LDAPConnection client = slapd.client()) {
      eventually("slapd follows a member that does not lead", () -> has(client, "next"));
      eventually("its contextCSN is", () -> known(leader).containsAll(csns(next)));
    }

    // A copy again: at once for all that may lead.
    slapd.lead();
    Switched following = next.sync().follow(SUFFIX, true, 20);
    assertThat(following.done()).as("%s", following.lines()).isTrue();
    members.transfer(leader);
    shouldFollowAlone(members);
    assertThat(tryAdd(leader, "refused")).isEqualTo(ResultCode.REFERRAL);
    try (LDAPConnection client = slapd.client()) {
      add(client, "again");
    }
    awaitAtAll(members, "again");
  }

  private static boolean isAdded(Member member) throws Exception {
    ResultCode code = tryAdd(member, "next");
    return code.equals(ResultCode.SUCCESS) || code.equals(ResultCode.ENTRY_ALREADY_EXISTS);
  }
}
