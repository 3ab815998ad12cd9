package org.nyala.cluster.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members whose folder is not the one that the others know. */
class OlderFolderTest {
  @TempDir Path folder;

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path each : files.toList()) {
        Path target = to.resolve(from.relativize(each).toString());
        if (Files.isDirectory(each)) {
          Files.createDirectories(target);
        } else {
          Files.copy(each, target);
        }
      }
    }
  }

  private TestCluster cluster() {
    return new TestCluster(folder, RaftSettings.DEFAULT, Precautions.ALL);
  }

  @Test
  void olderCopyOfWhatWasAcknowledgedIsRefused() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      cluster.write(10);
      TestCluster.Node older = cluster.follower();
      older.stop();
      Path aside = folder.resolve("aside");
      copy(older.home, aside);
      older.start();
      cluster.write(10);
      cluster.settled();
      older.stop();
      Path now = Files.move(older.home, folder.resolve("now"));
      Files.move(aside, older.home);
      RaftException refused = assertThrows(RaftException.class, older::start);
      assertEquals(
          "it is an older copy; remove the member, and have it join anew.",
          refused.getMessage().substring(refused.getMessage().indexOf("it is an older")));
      Files.move(older.home, folder.resolve("refused"));
      Files.move(now, older.home);
      older.start();
      cluster.settled();
    }
  }

  /** Nobody knows anything any more: a cluster that was stopped as a whole must start. */
  @Test
  void memberStartsWithoutAnswers() throws Exception {
    try (TestCluster cluster = cluster().of(3)) {
      cluster.write(10);
      for (TestCluster.Node each : cluster.nodes) {
        each.stop();
      }
      for (TestCluster.Node each : cluster.nodes) {
        each.start();
      }
      cluster.settled();
    }
  }

  @Test
  void otherAddressThanTheKnownOneIsRefused() throws Exception {
    try (TestCluster cluster = cluster().of(2)) {
      cluster.settled();
      TestCluster.Node moved = cluster.follower();
      moved.stop();
      MemberFolder opened = MemberFolder.open(moved.home.resolve("raft"));
      String known = "127.0.0.1:" + moved.port;
      opened.checkAddress(known);
      RaftException refused =
          assertThrows(RaftException.class, () -> opened.checkAddress("127.0.0.1:1"));
      assertEquals(
          "The other members reach this one at "
              + known
              + ", and its configuration has 127.0.0.1:1: put the former address back, or remove"
              + " the member and have it join anew.",
          refused.getMessage());
    }
  }
}
