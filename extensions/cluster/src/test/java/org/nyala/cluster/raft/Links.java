package org.nyala.cluster.raft;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.util.CodeInjectionForTesting;

/**
 * The links between members of this process, by the places that Ratis has for tests: what comes
 * over a link that is cut is not handled, and its sender gets no answer.
 */
final class Links implements AutoCloseable {
  private static final String[] POINTS = {
    "RaftServerImpl.appendEntries",
    "RaftServerImpl.requestVote",
    "RaftServerImpl.startLeaderElection"
  };

  private final Set<String> cut = ConcurrentHashMap.newKeySet();

  Links() {
    for (String point : POINTS) {
      CodeInjectionForTesting.put(
          point,
          (to, from, args) -> {
            if (cut.contains(from + ">" + to)) {
              throw new IllegalStateException("the link is cut");
            }
            return false;
          });
    }
  }

  /** Cuts what one member sends to another. */
  void cut(TestCluster.Node from, TestCluster.Node to) {
    cut.add(from.id + ">" + to.id);
  }

  /** Cuts a member off, both ways. */
  void isolate(TestCluster cluster, TestCluster.Node node) {
    for (TestCluster.Node other : cluster.nodes) {
      cut(node, other);
      cut(other, node);
    }
  }

  void heal() {
    cut.clear();
  }

  @Override
  public void close() {
    for (String point : POINTS) {
      CodeInjectionForTesting.remove(point);
    }
  }
}
