package org.nyala.cluster.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.CodeInjectionForTesting;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.ReplicatedLog.Outcome;

/**
 * The five faults of Ratis 3.3.0 that the log works around. With {@code -Dnyala.raft.without=KIND},
 * KIND being one of {@link Precautions.Kind}, the test of that precaution fails as long as Ratis
 * has the fault.
 */
class RatisFaultsTest {
  private static final Duration SOON = Duration.ofSeconds(15);

  @TempDir Path folder;

  private static Precautions precautions() {
    String without = System.getProperty("nyala.raft.without", "");
    return without.isEmpty()
        ? Precautions.ALL
        : Precautions.ALL.without(Precautions.Kind.valueOf(without));
  }

  private TestCluster cluster() {
    return new TestCluster(folder, RaftSettings.DEFAULT, precautions());
  }

  /** {@code ServerImplUtils.NavigableIndices.append} takes the start of an append for all of it. */
  @Test
  void followerAcknowledgesOnlyWhatItHasAppended() throws Exception {
    CountDownLatch disk = new CountDownLatch(1);
    String point = "SegmentedRaftLogWorker.runWorker";
    CodeInjectionForTesting.put(point, (id, from, args) -> waitFor(disk));
    try (TestCluster cluster = cluster()) {
      cluster.node(); // the founder stays away: a member that waits follows whoever leads
      TestCluster.Node node = cluster.node();
      node.start();
      RaftServer.Division division = node.log().division();
      CompletableFuture<AppendEntriesReplyProto> few = append(division, 0, 2);
      CompletableFuture<AppendEntriesReplyProto> more = append(division, 0, 5);
      disk.countDown();
      assertEquals(AppendResult.SUCCESS, few.get(20, TimeUnit.SECONDS).getResult());
      AppendEntriesReplyProto reply = more.get(20, TimeUnit.SECONDS);
      long last = division.getRaftLog().getLastEntryTermIndex().getIndex();
      assertTrue(
          reply.getResult() != AppendResult.SUCCESS || reply.getMatchIndex() <= last,
          () -> "acknowledged up to " + reply.getMatchIndex() + ", appended up to " + last);
    } finally {
      disk.countDown();
      CodeInjectionForTesting.remove(point);
    }
  }

  private static boolean waitFor(CountDownLatch latch) {
    try {
      return latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Appends entries of term 1 as a leader would. */
  private static CompletableFuture<AppendEntriesReplyProto> append(
      RaftServer.Division division, long first, long last) {
    List<LogEntryProto> entries =
        LongStream.rangeClosed(first, last).mapToObj(RatisFaultsTest::entry).toList();
    AppendEntriesRequestProto request =
        AppendEntriesRequestProto.newBuilder()
            .setServerRequest(
                RaftRpcRequestProto.newBuilder()
                    .setRequestorId(ByteString.copyFromUtf8(new UUID(0, 1).toString()))
                    .setReplyId(division.getId().toByteString())
                    .setRaftGroupId(
                        ProtoUtils.toRaftGroupIdProtoBuilder(division.getMemberId().getGroupId()))
                    .setCallId(last))
            .setLeaderTerm(1)
            .addAllEntries(entries)
            .setLeaderCommit(-1)
            .build();
    // Without composing the call itself waits for nothing but the log's lock.
    return CompletableFuture.supplyAsync(() -> request)
        .thenCompose(
            r -> {
              try {
                return division.getRaftServer().appendEntriesAsync(r);
              } catch (IOException e) {
                return CompletableFuture.failedFuture(e);
              }
            });
  }

  private static LogEntryProto entry(long index) {
    return LogEntryProto.newBuilder()
        .setTerm(1)
        .setIndex(index)
        .setStateMachineLogEntry(
            StateMachineLogEntryProto.newBuilder()
                .setClientId(ClientId.emptyClientId().toByteString())
                .setCallId(index)
                .setLogData(ByteString.copyFrom(ChainState.entry(index, 0))))
        .build();
  }

  /**
   * {@code ReadIndexHeartbeats.addAppendEntriesListener} trusts an index that was once confirmed.
   */
  @LongRun
  @Test
  void deposedLeaderServesNoStaleRead() throws Exception {
    RaftSettings slow =
        RaftSettings.DEFAULT.withElections(Duration.ofMillis(600), Duration.ofSeconds(4));
    try (Links links = new Links();
        TestCluster cluster = cluster().of(3, slow)) {
      TestCluster.Node deposed = cluster.leader();
      cluster.write(5);
      cluster.settled();
      read(deposed).get(20, TimeUnit.SECONDS);
      links.isolate(cluster, deposed);
      TestCluster.Node next =
          TestCluster.await(
              "nobody else leads",
              () ->
                  cluster.nodes.stream()
                      .filter(node -> node != deposed && node.state().isLeading())
                      .findFirst()
                      .orElse(null));
      long number = cluster.next();
      assertEquals(Outcome.COMMITTED, TestCluster.propose(next, number));
      assertTrue(deposed.state().isLeading(), "the old leader still takes itself for the leader");
      CompletableFuture<Boolean> sees =
          read(deposed).thenApply(ignored -> numbers(deposed).contains(number));
      boolean isEarly =
          TestCluster.within(Duration.ofSeconds(1), () -> sees.isDone() ? true : null) != null;
      links.heal();
      assertTrue(sees.get(20, TimeUnit.SECONDS), "the read shows what was written before");
      assertTrue(!isEarly, "a read without a majority waits");
    }
  }

  /** Reads linearizably, as the precautions say. */
  private CompletableFuture<?> read(TestCluster.Node node) {
    if (precautions().contains(Precautions.Kind.BARRIER_ENTRIES)) {
      return node.log().barrier().toCompletableFuture();
    }
    RaftServer.Division division = node.log().division();
    return node.log()
        .calls()
        .send(
            RaftClientRequest.newBuilder()
                .setClientId(ClientId.randomId())
                .setServerId(division.getId())
                .setGroupId(division.getMemberId().getGroupId())
                .setCallId(1)
                .setMessage(Message.valueOf("read"))
                .setType(RaftClientRequest.readRequestType())
                .build());
  }

  private static List<Long> numbers(TestCluster.Node node) {
    try {
      return node.state().numbers();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** RATIS-2507 purges closed segments only: a log that ends before the state refuses appends. */
  @LongRun
  @Test
  void memberWhoseStateIsAheadOfItsLogFollows() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      cluster.write(20);
      cluster.settled();
      TestCluster.Node node = cluster.follower();
      Path old = saved(node);
      List<Long> written = cluster.write(30);
      cluster.settled();
      node.stop();
      restore(old, node);
      written.addAll(cluster.write(5));
      node.start();
      assertNotNull(
          TestCluster.within(SOON, () -> numbers(node).containsAll(written) ? Boolean.TRUE : null),
          "the member takes entries again");
      cluster.settled();
    }
  }

  /** {@code ServerState.getLastEntry} compares the log in votes, unless it is empty. */
  @LongRun
  @Test
  void memberWithLessDoesNotLeadWhenTheOtherHasLostItsLog() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      List<Long> written = new ArrayList<>(cluster.write(10));
      cluster.settled();
      TestCluster.Node leader = cluster.leader();
      TestCluster.Node cut = cluster.follower();
      Path old = saved(cut);
      written.addAll(cluster.write(10));
      cluster.settled();
      TestCluster.Node behind =
          cluster.nodes.stream().filter(node -> node != leader && node != cut).findFirst().get();
      behind.stop();
      written.addAll(cluster.write(30));
      cluster.settled();
      leader.stop();
      cut.stop();
      restore(old, cut);
      cut.start();
      behind.start();
      cluster.write();
      cluster.settled();
      assertTrue(numbers(cut).containsAll(written), "nothing acknowledged is lost");
      assertTrue(numbers(behind).containsAll(written), "nothing acknowledged is lost");
    }
  }

  /** A listener that was made a voter stays {@code STARTING} and refuses its vote. */
  @LongRun
  @Test
  void membersThatJoinedElectAnother() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      cluster.write(5);
      cluster.leader().stop();
      assertNotNull(
          TestCluster.within(
              SOON,
              () ->
                  cluster.nodes.stream()
                      .filter(node -> node.log != null && node.state().isLeading())
                      .findFirst()
                      .orElse(null)),
          "two of three elect a leader");
      cluster.write(5);
      cluster.settled();
    }
  }

  /** Copies the folder of a member's log as of now; the member is restarted. */
  private Path saved(TestCluster.Node node) throws IOException {
    node.stop();
    Path saved = folder.resolve("saved");
    copy(node.home.resolve("raft"), saved);
    node.start();
    return saved;
  }

  private static void restore(Path saved, TestCluster.Node node) throws IOException {
    Path raft = node.home.resolve("raft");
    try (Stream<Path> files = Files.walk(raft)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    copy(saved, raft);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }
}
