package org.nyala.cluster.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedLog.Outcome;

class RaftMemberTest {
  @TempDir Path folder;

  private TestCluster cluster(RaftSettings settings) {
    return new TestCluster(folder, settings, Precautions.ALL);
  }

  private TestCluster cluster() {
    return cluster(RaftSettings.DEFAULT);
  }

  @Test
  void allMembersApplyTheSameAndGoOnWithoutTheirLeader() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      List<Long> written = new ArrayList<>(cluster.write(50));
      assertEquals(51, cluster.settled().count());
      ClusterStatus status = cluster.leader().log().status();
      assertEquals(ClusterStatus.Role.LEADER, status.role());
      assertEquals(3, status.members().size());
      assertEquals(List.of(), status.alarms());
      TestCluster.Node first = cluster.leader();
      first.stop();
      written.addAll(cluster.write(20));
      first.start();
      cluster.settled();
      assertTrue(first.state().numbers().containsAll(written), "the restarted member has all");
      for (TestCluster.Node node : cluster.nodes) {
        assertAlternating(node.state().events());
      }
    }
  }

  private static void assertAlternating(List<String> events) {
    for (int i = 0; i < events.size(); i++) {
      assertEquals(i % 2 == 0, events.get(i).startsWith("leads"), events::toString);
    }
  }

  @LongRun
  @Test
  void wholeClusterStartsAgain() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      List<Long> written = cluster.write(20);
      ChainState.Head before = cluster.settled();
      for (TestCluster.Node node : cluster.nodes) {
        node.stop();
      }
      for (TestCluster.Node node : cluster.nodes) {
        node.start();
      }
      ChainState.Head after = cluster.settled();
      assertEquals(before.count() + 1, after.count());
      assertTrue(cluster.leader().state().numbers().containsAll(written));
    }
  }

  @LongRun
  @Test
  void barrierOfAnyMemberShowsWhatWasAcknowledged() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      for (int i = 0; i < 20; i++) {
        long number = cluster.write();
        for (TestCluster.Node node : cluster.nodes) {
          LogPosition at = node.log().barrier().toCompletableFuture().get(20, TimeUnit.SECONDS);
          assertTrue(node.state().numbers().contains(number), () -> at + " at " + node.home);
        }
      }
    }
  }

  @LongRun
  @Test
  void barrierFailsWithoutMajority() throws Exception {
    RaftSettings quick = RaftSettings.DEFAULT.withProposalTimeout(Duration.ofSeconds(2));
    try (TestCluster cluster = cluster(quick).of(3)) {
      TestCluster.Node alone = cluster.follower();
      for (TestCluster.Node node : cluster.nodes) {
        if (node != alone) {
          node.stop();
        }
      }
      CompletableFuture<LogPosition> barrier = alone.log().barrier().toCompletableFuture();
      CompletionException e = assertThrows(CompletionException.class, barrier::join);
      assertEquals(
          "No leader has answered within 2000 ms.", String.valueOf(e.getCause().getMessage()));
      assertEquals(Outcome.REFUSED, TestCluster.propose(alone, cluster.next()));
    }
  }

  /** A leader that keeps its office without a majority: only the deadline ends the wait. */
  @LongRun
  @Test
  void proposalWithoutAnswerIsUnknownInTime() throws Exception {
    RaftSettings slow =
        RaftSettings.DEFAULT
            .withElections(Duration.ofMillis(600), Duration.ofSeconds(15))
            .withProposalTimeout(Duration.ofSeconds(1));
    try (Links links = new Links();
        TestCluster cluster = cluster().of(3, slow)) {
      TestCluster.Node leader = cluster.leader();
      cluster.write(3);
      links.isolate(cluster, leader);
      long number = cluster.next();
      CompletableFuture<Outcome> outcome = TestCluster.propose(leader, ChainState.entry(number, 0));
      assertEquals(Outcome.UNKNOWN, outcome.get(5, TimeUnit.SECONDS));
      assertTrue(leader.state().isLeading());
    }
  }

  /** Proposals that a deposed leader could not commit are gone, or come later: unknown. */
  @LongRun
  @Test
  void deposedLeaderFollowsAndItsProposalIsUnknown() throws Exception {
    try (Links links = new Links();
        TestCluster cluster = cluster().of(3)) {
      TestCluster.Node deposed = cluster.leader();
      cluster.write(3);
      links.isolate(cluster, deposed);
      assertEquals(Outcome.UNKNOWN, TestCluster.propose(deposed, cluster.next()));
      TestCluster.awaitTrue("it still leads", () -> !deposed.state().isLeading());
      assertEquals(Outcome.REFUSED, TestCluster.propose(deposed, cluster.next()));
      List<Long> written = cluster.write(5);
      links.heal();
      cluster.settled();
      assertTrue(deposed.state().numbers().containsAll(written));
    }
  }

  /** A follower that hears the leader and is not heard must not unseat it for good. */
  @LongRun
  @Test
  void oneWayLinkLosesNothing() throws Exception {
    try (Links links = new Links();
        TestCluster cluster = cluster().of(3)) {
      TestCluster.Node leader = cluster.leader();
      TestCluster.Node deaf = cluster.follower();
      List<Long> written = new ArrayList<>(cluster.write(5));
      links.cut(leader, deaf); // it hears no heartbeats, and may ask for votes
      for (int i = 0; i < 10; i++) {
        written.add(cluster.write());
      }
      links.heal();
      cluster.settled();
      for (TestCluster.Node node : cluster.nodes) {
        assertTrue(node.state().numbers().containsAll(written));
      }
    }
  }

  @LongRun
  @Test
  void memberThatWasAwayTooLongFetchesACopy() throws Exception {
    RaftSettings small = RaftSettings.DEFAULT.withKept(Duration.ZERO, 64 << 10, 64 << 10);
    try (TestCluster cluster = cluster(small).of(3)) {
      TestCluster.Node away = cluster.follower();
      away.stop();
      TestCluster.Node leader = cluster.leader();
      List<Long> written = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        long number = cluster.next();
        Outcome outcome = TestCluster.propose(leader, ChainState.entry(number, 20_000)).join();
        assertEquals(Outcome.COMMITTED, outcome);
        written.add(number);
      }
      leader.log().kept(leader.state().applied());
      TestCluster.awaitTrue(
          "the log is not dropped",
          () -> leader.log().division().getRaftLog().getStartIndex() > 10);
      away.start();
      cluster.settled();
      assertEquals(1, away.state().copies());
      assertTrue(away.state().numbers().containsAll(written));
    }
  }

  @LongRun
  @Test
  void largestEntryIsTakenAndLargerOnesAreRefused() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      TestCluster.Node leader = cluster.leader();
      ByteBuffer largest = ChainState.entry(cluster.next(), leader.log().mostBytes() - 8);
      assertEquals(Outcome.COMMITTED, TestCluster.propose(leader, largest).join());
      ByteBuffer larger = ChainState.entry(cluster.next(), leader.log().mostBytes() - 7);
      assertEquals(Outcome.REFUSED, TestCluster.propose(leader, larger).join());
      assertTrue(leader.state().isLeading());
      assertEquals(2, cluster.settled().count());
      assertThrows(
          IllegalArgumentException.class,
          () -> TestCluster.propose(leader, ByteBuffer.allocate(0)));
    }
  }

  /** An entry that was made before others changed the state is not appended after it. */
  @Test
  void entryOfAnotherTermIsRefused() throws Exception {
    try (TestCluster cluster = cluster().of(1)) {
      TestCluster.Node leader = cluster.leader();
      long term = leader.state().term();
      for (long other : new long[] {term - 1, term + 1}) {
        ByteBuffer entry = ChainState.entry(cluster.next(), 0);
        assertEquals(
            Outcome.REFUSED, leader.log().propose(other, entry).toCompletableFuture().join());
      }
      assertTrue(leader.state().isLeading());
      assertEquals(1, cluster.settled().count());
    }
  }

  @Test
  void strangersCannotAppendEntries() throws Exception {
    try (TestCluster cluster = cluster().of(2)) {
      TestCluster.Node leader = cluster.leader();
      RaftClientRequest request =
          RaftClientRequest.newBuilder()
              .setClientId(ClientId.randomId())
              .setServerId(leader.log().division().getId())
              .setGroupId(leader.log().division().getMemberId().getGroupId())
              .setCallId(1)
              .setMessage(Message.valueOf(ByteString.copyFromUtf8("12345678")))
              .setType(RaftClientRequest.writeRequestType())
              .build();
      CompletableFuture<?> reply = cluster.follower().log().calls().send(request);
      CompletionException e = assertThrows(CompletionException.class, reply::join);
      assertTrue(
          String.valueOf(e.getCause().getMessage())
              .contains("Entries are proposed by their leader only."),
          e::toString);
      assertEquals(1, cluster.settled().count());
    }
  }

  @LongRun
  @Test
  void leadershipIsHandedOverWithoutAFailedProposal() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      cluster.write(200);
      List<Long> gaps = new ArrayList<>();
      for (int round = 0; round < 5; round++) {
        TestCluster.Node leader = cluster.leader();
        AtomicBoolean isOver = new AtomicBoolean();
        CompletableFuture<Long> longest =
            CompletableFuture.supplyAsync(() -> longestGap(cluster, isOver));
        leader.log().transfer(null);
        TestCluster.awaitTrue("it still leads", () -> !leader.state().isLeading());
        cluster.leader();
        isOver.set(true);
        gaps.add(longest.get(30, TimeUnit.SECONDS));
      }
      gaps.sort(null);
      System.out.println(
          "transfer: longest gap median " + gaps.get(2) + " ms, worst " + gaps.getLast() + " ms");
      cluster.settled();
    }
  }

  /** Writes until told to end, each refused one at the next leader; none may be unknown. */
  private static long longestGap(TestCluster cluster, AtomicBoolean isOver) {
    long longest = 0;
    long last = System.nanoTime();
    boolean isLast = false;
    while (!isLast) {
      isLast = isOver.get();
      Outcome outcome = TestCluster.propose(cluster.leader(), cluster.next());
      assertFalse(outcome == Outcome.UNKNOWN, "a proposal is unknown");
      if (outcome == Outcome.COMMITTED) {
        long now = System.nanoTime();
        longest = Math.max(longest, now - last);
        last = now;
      } else {
        isLast = false;
      }
    }
    return TimeUnit.NANOSECONDS.toMillis(longest);
  }

  @LongRun
  @Test
  void removedMemberStopsAndALostDiskComesBackUnderANewId() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      List<Long> written = new ArrayList<>(cluster.write(10));
      cluster.settled();
      TestCluster.Node lost = cluster.follower();
      cluster.leader().log().remove(lost.id, TestCluster.PATIENCE);
      Throwable failure =
          TestCluster.await("the removed member goes on", () -> lost.state().failure());
      assertTrue(String.valueOf(failure.getMessage()).contains("removed"), failure::toString);
      assertEquals(ClusterStatus.Role.STOPPED, lost.log().status().role());
      lost.stop();
      delete(lost.home);
      written.addAll(cluster.write(5));
      TestCluster.Node again = cluster.join();
      cluster.settled();
      assertEquals(1, again.state().copies());
      assertTrue(again.state().numbers().containsAll(written));
      assertEquals(3, cluster.leader().log().status().members().size());
    }
  }

  @LongRun
  @Test
  void leaderThatIsRemovedStops() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      cluster.write(5);
      TestCluster.Node removed = cluster.leader();
      removed.log().remove(removed.id, TestCluster.PATIENCE);
      Throwable failure =
          TestCluster.await("the removed leader goes on", () -> removed.state().failure());
      assertTrue(String.valueOf(failure.getMessage()).contains("removed"), failure::toString);
      removed.stop();
      cluster.write(5);
      cluster.settled();
    }
  }

  /** A log that cannot be written ends the member at once, and nobody else. */
  @LongRun
  @Test
  void memberWhoseLogFailsStopsAndTheOthersGoOn() throws Exception {
    RaftSettings small = RaftSettings.DEFAULT.withKept(Duration.ofHours(1), 1 << 20, 64 << 10);
    try (TestCluster cluster = cluster(small).of(3)) {
      TestCluster.Node failing = cluster.leader();
      List<Long> written = new ArrayList<>(cluster.write(5));
      cluster.settled();
      Path current = MemberFolder.open(failing.home.resolve("raft")).current();
      Files.move(current, current.resolveSibling("gone"));
      Files.writeString(current, "no folder");
      for (int i = 0; failing.state().failure() == null && i < 200; i++) {
        long number = cluster.next();
        ByteBuffer entry = ChainState.entry(number, 20_000);
        Outcome outcome = TestCluster.propose(failing, entry).get(20, TimeUnit.SECONDS);
        if (outcome == Outcome.COMMITTED) {
          written.add(number);
        }
      }
      TestCluster.awaitTrue("it goes on", () -> failing.state().failure() != null);
      failing.stop();
      written.addAll(cluster.write(5));
      cluster.settled();
      assertTrue(cluster.leader().state().numbers().containsAll(written));
      IOException e = assertThrows(IOException.class, failing::start);
      assertTrue(String.valueOf(e.getMessage()).contains("joins the cluster as a new member"));
      failing.log = null;
    }
  }

  @LongRun
  @Test
  void stateThatFailsStopsItsMember() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      TestCluster.Node failing = cluster.follower();
      cluster.write(3);
      cluster.settled();
      failing.state().close(); // its files are closed: nothing can be applied
      List<Long> written = cluster.write(5);
      TestCluster.awaitTrue("it goes on", () -> failing.state().failure() != null);
      TestCluster.awaitTrue(
          "its log goes on", () -> failing.log().status().role() == ClusterStatus.Role.STOPPED);
      failing.stop();
      failing.start();
      cluster.settled();
      assertTrue(failing.state().numbers().containsAll(written));
    }
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
