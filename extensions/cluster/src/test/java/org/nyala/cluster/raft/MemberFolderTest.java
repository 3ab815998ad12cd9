package org.nyala.cluster.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.LogPosition;

class MemberFolderTest {
  private static final LogPosition AT = new LogPosition(7, 100);
  private static final UUID CLUSTER = new UUID(1, 2);

  @TempDir Path folder;

  @Test
  void folderKeepsItsIds() throws Exception {
    MemberFolder made = MemberFolder.create(folder, CLUSTER, AT, true);
    MemberFolder opened = MemberFolder.open(folder);
    assertEquals(made.member(), opened.member());
    assertEquals(CLUSTER, opened.cluster());
    assertTrue(opened.isFounder());
    opened.checkVotes(AT);
    assertEquals(new MemberFolder.Extent(0, -1), opened.extent());
  }

  @Test
  void folderIsMadeOnce() throws Exception {
    MemberFolder.create(folder, CLUSTER, AT, true);
    assertMessage(
        "The folder "
            + folder
            + " belongs to a member of a cluster already; remove it to begin"
            + " anew.",
        () -> MemberFolder.create(folder, CLUSTER, AT, false));
  }

  @Test
  void lostFolderIsRefused() {
    assertMessage(
        "The folder "
            + folder
            + " has no member.properties: a member that has lost its log has"
            + " forgotten its votes, and joins the cluster as a new member.",
        () -> MemberFolder.open(folder));
  }

  @Test
  void emptyVotesAreRefused() throws Exception {
    MemberFolder made = MemberFolder.create(folder, CLUSTER, AT, true);
    Path meta = made.current().resolve("raft-meta");
    String sentence =
        "The file "
            + meta
            + " holds no term and vote: the member has forgotten its votes, and"
            + " joins the cluster as a new member.";
    for (String text : new String[] {"", "term=x\nvotedFor=\n", "term=8\n"}) {
      Files.writeString(meta, text);
      assertMessage(sentence, () -> made.checkVotes(AT));
    }
    Files.delete(meta);
    assertMessage(sentence, () -> made.checkVotes(AT));
  }

  @Test
  void votesOlderThanTheStateAreRefused() throws Exception {
    MemberFolder made = MemberFolder.create(folder, CLUSTER, AT, true);
    assertMessage(
        "The file "
            + made.current().resolve("raft-meta")
            + " is of term 7, and the state of term"
            + " 8: the folder is an older copy, whose member has forgotten its votes, and joins"
            + " the cluster as a new member.",
        () -> made.checkVotes(new LogPosition(8, 100)));
  }

  @Test
  void stateBeforeTheLogIsRefused() throws Exception {
    MemberFolder made = MemberFolder.create(folder, CLUSTER, AT, true);
    Files.writeString(made.current().resolve("log_200-300"), "not read");
    assertMessage(
        "The log in "
            + folder
            + " begins at entry 200, and the state ends at 100: entries between"
            + " are missing, and the member joins the cluster as a new member.",
        () -> made.dropShortLog(AT));
  }

  @Test
  void clusterIsFoundedOnAPlace() {
    assertMessage(
        "A cluster is founded on a state with a place of index 0 and term 1 at least; found index"
            + " -1 and term 0.",
        () -> RaftMember.found(folder, CLUSTER, LogPosition.NONE));
  }

  private static void assertMessage(String message, Executable call) {
    assertEquals(message, assertThrows(RaftException.class, call).getMessage());
  }
}
