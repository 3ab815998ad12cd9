package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPURL;
import com.unboundid.ldap.sdk.ResultCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.ClusterOfProcesses.Member;
import org.nyala.core.Patience;

/** Planned stops of leaders, and transfers of leadership, while clients make changes. */
@Timeout(300)
class PlannedStopTest {
  /** The least time of an election: long, so that none begins by itself on a busy machine. */
  private static final String ELECTION = "electionMillis = 3000";

  private static final int TRANSFERS = 10;

  @TempDir Path folder;

  @Test
  void shouldDrainAndStopLeadersWithoutAnElection() throws Exception {
    try (ClusterOfProcesses cluster = new ClusterOfProcesses(folder, ELECTION).form(3)) {
      Member drained = cluster.leader();
      try (LDAPConnection open = drained.connect()) {
        assertThat(drained.command("cluster", "drain"))
            .contains("another member leads")
            .contains("no operations run: the server may be stopped");
        assertThat(cluster.leader()).isNotSameAs(drained);
        assertThat(open.getEntry(ClusterOfProcesses.ENTRY)).isNotNull();
        assertThatThrownBy(drained::connect)
            .isInstanceOfSatisfying(
                LDAPException.class,
                e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.CONNECT_ERROR));
      }
      assertThat(drained.get("/ready").statusCode()).isEqualTo(503);
      drained.process.close();
      drained.start();
      assertThat(drained.get("/live").statusCode()).isEqualTo(200);

      // Once the former one has caught up: it may be the one that leads next.
      eventually("all are there", () -> !cluster.leader().status().contains("alarm"));
      Member stopped = cluster.leader();
      String id = stopped.id();
      stopped.process.close();
      stopped.process = null;
      // Without a transfer they would take it for the leader for three seconds.
      for (Member other : cluster.members()) {
        assertThat(other.status()).doesNotContain("leader    " + id);
      }
      try (LDAPConnection client = cluster.leader().connect()) {
        eventually("changes are made", () -> isPut(client));
      }
    }
  }

  private static boolean isPut(LDAPConnection client) {
    try {
      ClusterOfProcesses.put(client, "afterwards");
      return true;
    } catch (LDAPException e) {
      return false;
    }
  }

  /** A client that makes changes one after the other, wherever it is referred to. */
  private static final class Writer {
    final AtomicInteger failed = new AtomicInteger();
    final AtomicInteger made = new AtomicInteger();
    final List<Long> nanos = new ArrayList<>();

    void run(Member first, AtomicBoolean isOver) {
      try {
        LDAPConnection client = first.connect();
        while (!isOver.get()) {
          try {
            ClusterOfProcesses.put(client, "value " + made.get());
            made.incrementAndGet();
            nanos.add(System.nanoTime());
          } catch (LDAPException e) {
            if (e.getResultCode().equals(ResultCode.REFERRAL)) {
              client.close();
              LDAPURL url = new LDAPURL(e.getReferralURLs()[0]);
              client = new LDAPConnection(url.getHost(), url.getPort(), "cn=admin", "admin");
            } else {
              failed.incrementAndGet();
            }
          }
        }
        client.close();
      } catch (LDAPException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Returns the longest time between two changes after another, in milliseconds. */
    long longestGap(long from, long to) {
      long longest = 0;
      long last = from;
      for (long each : nanos) {
        if (each > from && last < to) {
          longest = Math.max(longest, each - last);
          last = each;
        }
      }
      return longest / 1_000_000;
    }
  }

  @Tag("long")
  @Test
  void shouldTransferUnderLoadWithShortGaps() throws Exception {
    try (ClusterOfProcesses cluster = new ClusterOfProcesses(folder, "").form(3)) {
      AtomicBoolean isOver = new AtomicBoolean();
      Writer writer = new Writer();
      Member first = cluster.leader();
      Thread thread = Thread.ofPlatform().start(() -> writer.run(first, isOver));
      eventually("changes are made", () -> writer.made.get() > 500);
      List<Long> starts = new ArrayList<>();
      for (int i = 0; i < TRANSFERS; i++) {
        Member leader = cluster.leader();
        starts.add(System.nanoTime());
        eventually("it leads no more", () -> !leader.run("cluster", "transfer").contains("within"));
        int made = writer.made.get();
        eventually("changes are made after it", () -> writer.made.get() > made + 200);
      }
      isOver.set(true);
      Patience.join(thread);
      starts.add(System.nanoTime());
      List<Long> gaps = new ArrayList<>();
      for (int i = 0; i < TRANSFERS; i++) {
        gaps.add(writer.longestGap(starts.get(i), starts.get(i + 1)));
      }
      String found = "gaps in ms " + gaps + ", failed " + writer.failed + " of " + writer.made;
      System.getLogger("transfers").log(System.Logger.Level.INFO, found);
      assertThat(gaps.stream().sorted().toList().get(TRANSFERS / 2)).as(found).isLessThan(1000);
    }
  }
}
