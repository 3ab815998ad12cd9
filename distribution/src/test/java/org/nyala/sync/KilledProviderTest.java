package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.ClusterOfProcesses;
import org.nyala.cluster.ClusterOfProcesses.Member;
import org.nyala.core.Patience;
import org.nyala.sync.SyncCopy.Content;

/**
 * Copies that follow the members of a cluster whose leaders are killed: each goes on at another
 * member by the cookie that it has, and ends with what the members have.
 */
@Tag("long")
@Timeout(900)
class KilledProviderTest {
  private static final int KILLS = 4;
  private static final int UNITS = 20;
  private static final String TOP = "dc=example,dc=com";
  private static final Content ALL = new Content(TOP, SearchScope.SUB, "(objectClass=*)");

  @TempDir Path folder;

  private final AtomicBoolean isWritten = new AtomicBoolean();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicInteger made = new AtomicInteger();

  /** Adds, changes and deletes entries at any member, until all is written. */
  private void write(List<Member> members) {
    for (int number = 0; !isWritten.get(); number++) {
      String name = "ou=unit" + number % UNITS + "," + TOP;
      try (LDAPConnection client = members.get(number % members.size()).connect()) {
        for (int i = 0; i < 3; i++) {
          change(client, name, number + i);
          made.incrementAndGet();
        }
      } catch (LDAPException _) {
        // The member is dead, nobody leads, or the entry is there or not, by an unknown outcome.
      }
    }
  }

  private static void change(LDAPConnection client, String name, int number) throws LDAPException {
    boolean isThere = client.getEntry(name, "1.1") != null;
    if (!isThere) {
      client.add(
          name,
          new Attribute("objectClass", "organizationalUnit"),
          new Attribute("ou", name.substring(3, name.indexOf(','))));
    } else if (number % 7 == 0) {
      client.delete(name);
    } else {
      client.modify(
          name, new Modification(ModificationType.REPLACE, "description", "value " + number));
    }
  }

  /** Follows at one member after the other, until it is over. */
  private void follow(SyncCopy copy, List<Member> members, int first) {
    for (int at = first; !isOver.get(); at++) {
      try (LDAPConnection connection = members.get(at % members.size()).connect()) {
        var _ = copy.run(connection, true);
      } catch (LDAPException _) {
        // The member is dead: the next one is asked.
      }
    }
  }

  private void awaitChanges() {
    int before = made.get();
    eventually("changes are made", () -> made.get() > before + UNITS);
  }

  @Test
  void shouldGoOnAtAnotherMemberByTheCookieOfTheOneThatWasKilled() throws Exception {
    try (ClusterOfProcesses cluster =
        new ClusterOfProcesses(folder, "writes = forward, answerSeconds = 5").form(3)) {
      List<Member> members = cluster.members();
      List<Thread> threads = new ArrayList<>();
      List<SyncCopy> copies = new ArrayList<>();
      threads.add(Thread.ofPlatform().daemon().start(() -> write(members)));
      for (int i = 0; i < members.size(); i++) {
        SyncCopy copy = new SyncCopy(ALL);
        int first = i;
        copies.add(copy);
        threads.add(Thread.ofPlatform().daemon().start(() -> follow(copy, members, first)));
      }
      for (int kill = 0; kill < KILLS; kill++) {
        awaitChanges();
        Member leader = cluster.leader();
        leader.kill();
        awaitChanges();
        leader.start();
        eventually("it is a member again", leader::isWell);
      }
      for (SyncCopy copy : copies) {
        eventually("it follows", copy::isRefreshed);
      }
      isWritten.set(true);
      Patience.join(threads.getFirst());
      try (LDAPConnection leader = cluster.leader().connect()) {
        for (SyncCopy copy : copies) {
          eventually("it has all", () -> copy.byName().equals(SyncCopy.byName(leader, ALL)));
          assertThat(copy.faults()).isEmpty();
          assertThat(copy.presentPhases()).as("a cookie did not hold").isZero();
        }
      }
      isOver.set(true);
      System.out.println(made + " changes, " + KILLS + " kills");
    }
  }
}
