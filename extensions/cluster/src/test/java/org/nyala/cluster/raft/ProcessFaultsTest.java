package org.nyala.cluster.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults of processes and links under load: nothing that was acknowledged is lost, nothing comes
 * twice, and all members have the same chain in the end.
 */
class ProcessFaultsTest {
  private static final int FAULTS = Integer.getInteger("nyala.cluster.faults", 1);
  private static final long SEED = Long.getLong("nyala.cluster.seed", System.nanoTime());

  @TempDir Path folder;

  private final List<Long> gaps = new ArrayList<>();

  /** A fault, from its beginning to its end. */
  private enum Fault {
    KILL_LEADER,
    STOP_LEADER,
    KILL_FOLLOWER,
    CUT_TO_LEADER,
    CUT_FROM_LEADER,
    ISOLATE_LEADER,
    SLOW_LINK
  }

  @Test
  void nothingAcknowledgedIsLost() throws Exception {
    System.out.println("seed " + SEED);
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(SEED);
    try (ProcessCluster cluster = new ProcessCluster(folder, 3).start()) {
      cluster.nodes.forEach(node -> node.tell("load 8"));
      Fault[] all = Fault.values();
      for (int i = 0; i < FAULTS; i++) {
        cluster.millisToAck(System.nanoTime());
        // Every second one is the kill whose gap is published.
        commit(cluster, i % 2 == 0 ? Fault.KILL_LEADER : all[random.nextInt(all.length)], random);
      }
      cluster.millisToAck(System.nanoTime());
      cluster.nodes.forEach(node -> node.tell("load 0"));
      check(cluster);
    }
    gaps.sort(null);
    System.out.println(
        "failover after SIGKILL: "
            + gaps.size()
            + " kills, median "
            + gaps.get(gaps.size() / 2)
            + " ms, worst "
            + gaps.getLast()
            + " ms");
  }

  private void commit(ProcessCluster cluster, Fault fault, RandomGenerator random)
      throws Exception {
    ProcessCluster.Node leader = cluster.leader();
    ProcessCluster.Node other =
        cluster.nodes.get((leader.number + 1 + random.nextInt(2)) % cluster.nodes.size());
    long millis = 500L + random.nextInt(3_000);
    switch (fault) {
      case KILL_LEADER -> {
        leader.kill();
        gaps.add(cluster.millisToAck(System.nanoTime()));
        restart(leader);
      }
      case KILL_FOLLOWER -> {
        other.kill();
        pause(millis);
        restart(other);
      }
      case STOP_LEADER -> {
        leader.signal("STOP");
        pause(millis);
        leader.signal("CONT");
      }
      case CUT_TO_LEADER -> oneWay(cluster, other, leader, millis);
      case CUT_FROM_LEADER -> oneWay(cluster, leader, other, millis);
      case ISOLATE_LEADER -> {
        isolate(cluster, leader, true);
        pause(millis);
        isolate(cluster, leader, false);
      }
      case SLOW_LINK -> {
        cluster.delay(leader, other, 100);
        pause(millis);
        cluster.delay(leader, other, 0);
      }
    }
  }

  private static void restart(ProcessCluster.Node node) throws Exception {
    node.start();
    node.tell("load 8");
  }

  private static void oneWay(
      ProcessCluster cluster, ProcessCluster.Node from, ProcessCluster.Node to, long millis) {
    cluster.cut(from, to, true);
    pause(millis);
    cluster.cut(from, to, false);
  }

  private static void isolate(ProcessCluster cluster, ProcessCluster.Node node, boolean isCut) {
    for (ProcessCluster.Node other : cluster.nodes) {
      if (other != node) {
        cluster.cut(node, other, isCut);
        cluster.cut(other, node, isCut);
      }
    }
  }

  /** Lets a fault last: its length is part of the test. */
  private static void pause(long millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private void check(ProcessCluster cluster) throws Exception {
    List<Path> states = cluster.nodes.stream().map(node -> node.home.resolve("state")).toList();
    TestCluster.await(
        "the members do not come to the same",
        () -> {
          Set<String> heads = new HashSet<>();
          for (ProcessCluster.Node node : cluster.nodes) {
            node.tell("where");
            heads.add(node.line("at ").split(" ", 3)[1]);
          }
          return heads.size() == 1 ? Boolean.TRUE : null;
        });
    ChainState.Head first = ChainState.head(states.getFirst());
    List<Long> numbers = ChainState.numbers(states.getFirst());
    assertEquals(new HashSet<>(numbers).size(), numbers.size(), "no number comes twice");
    for (Path state : states) {
      assertEquals(first.chain(), ChainState.head(state).chain(), "the chain of " + state);
    }
    Set<Long> lost = new HashSet<>(cluster.acknowledged.keySet());
    lost.removeAll(new HashSet<>(numbers));
    System.out.println(
        FAULTS
            + " faults, "
            + cluster.acknowledged.size()
            + " acknowledged, "
            + lost.size()
            + " lost");
    assertEquals(Set.of(), lost, "acknowledged and lost");
  }

  /** The rates are printed and not asserted: they are those of this machine. */
  @LongRun
  @Test
  void rateOfProposals() throws Exception {
    try (ProcessCluster cluster = new ProcessCluster(folder, 3).start()) {
      StringBuilder rates = new StringBuilder("committed entries a second, three members:");
      for (int proposers : new int[] {128, 1, 16, 128}) {
        ProcessCluster.Node leader = cluster.leader();
        leader.tell("rate " + proposers + " 5");
        String rate = leader.line("rate ").substring(5);
        if (rates.indexOf("warm") < 0) {
          rates.append(" warm-up ").append(rate).append(';');
        } else {
          rates.append(' ').append(rate).append(" at ").append(proposers);
        }
      }
      System.out.println(rates);
    }
  }
}
