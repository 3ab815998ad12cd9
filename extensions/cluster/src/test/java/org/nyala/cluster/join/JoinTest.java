package org.nyala.cluster.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.StoreCluster;
import org.nyala.cluster.StoreCluster.Node;
import org.nyala.cluster.raft.RaftException;
import org.nyala.cluster.raft.RaftSettings;
import org.nyala.core.Patience;
import org.nyala.core.backend.LogMark;

/** Servers that become members, and members that fetch copies: real stores, real connections. */
@Timeout(300)
class JoinTest {
  private static final RaftSettings LITTLE_KEPT =
      RaftSettings.DEFAULT.withKept(Duration.ofHours(1), 64 << 10, 64 << 10);

  @TempDir Path folder;

  private StoreCluster cluster;

  @BeforeAll
  static void shouldNotLogWhatIsMeantToHappen() {
    Logger.getLogger("org.nyala").setLevel(Level.OFF);
  }

  private StoreCluster of(RaftSettings settings) throws Exception {
    cluster = new StoreCluster(folder, settings);
    cluster.found();
    return cluster;
  }

  @AfterEach
  void close() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static String join(Node joining, Node asked) throws IOException {
    return join(joining, asked, false, null);
  }

  private static String join(Node joining, Node asked, boolean replaces, UUID instead)
      throws IOException {
    StringWriter out = new StringWriter();
    new Joiner(joining, "127.0.0.1", asked.port).run(replaces, instead, new PrintWriter(out, true));
    return out.toString();
  }

  private void shouldBeEqual(List<Node> nodes) {
    LogMark mark = cluster.leader().mark();
    Patience.eventually(
        "all are equal", () -> nodes.stream().allMatch(node -> mark.equals(node.mark())));
    for (Node node : nodes) {
      assertThat(node.values()).isEqualTo(nodes.getFirst().values());
      assertThat(node.store().failure()).isNull();
    }
  }

  @Test
  void shouldJoinWhileChangesAreMade() throws Exception {
    Node first = of(RaftSettings.DEFAULT).leader();
    cluster.write("before", 50);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger done = new AtomicInteger();
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!stop.get()) {
                    done.addAndGet(cluster.write("during" + done.get() + "-", 5).size());
                  }
                });
    Node second = cluster.node();
    Node third = cluster.node();
    assertThat(join(second, first)).contains("this server is a member of the cluster");
    // Any member may be asked, not the leader alone.
    assertThat(join(third, second)).contains("this server is a member of the cluster");
    stop.set(true);
    Patience.join(writer);
    assertThat(done.get()).isPositive();
    shouldBeEqual(List.of(first, second, third));
    assertThat(third.values()).contains("before0", "during0-0");
    assertThat(second.folder().resolve("joining")).doesNotExist();
    assertThatThrownBy(() -> join(third, first))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("this server is a member of the cluster ");
  }

  @Test
  void shouldTellExactlyWhyAServerCannotJoin() throws Exception {
    Node first = of(RaftSettings.DEFAULT).leader();
    Node other = cluster.node();
    Suitability fit = first.suitability();
    int form = fit.entryForm();
    String store = fit.storeFormat();
    List<String> names = fit.namingContexts();
    String why = "The server cannot be a member, for ";
    String version = ": all members need the same version of Nyala.";
    assertRefused(
        other,
        new Suitability(form, store, 9, fit.schema(), names, List.of()),
        why + "its serverId is 9, and that of the members is 1.");
    assertRefused(
        other,
        new Suitability(form, store, 1, fit.schema(), List.of("dc=b"), List.of()),
        why + "its naming contexts are [dc=b], and those of the members are [dc=example,dc=com].");
    assertRefused(
        other,
        new Suitability(form, store, 1, "c".repeat(64), names, List.of()),
        why
            + "the definitions of its schema files are not those of the members: the digests are"
            + " cccccccccccccccc and aaaaaaaaaaaaaaaa.");
    assertRefused(
        other,
        new Suitability(form, store, 1, fit.schema(), names, List.of("x")),
        why + "its extensions are [x], and those of the members are [].");
    assertRefused(
        other,
        new Suitability(form, "99", 1, fit.schema(), names, List.of()),
        why
            + "its store has the format 99, and those of the members the format "
            + store
            + version);
    assertRefused(
        other,
        new Suitability(7, store, 1, fit.schema(), names, List.of()),
        why + "it writes entries of form 7, and the cluster those of form " + form + version);
    assertThatThrownBy(
            () ->
                new Joiner(other, "127.0.0.1", StoreCluster.freePort())
                    .run(false, null, new PrintWriter(new StringWriter())))
        .isInstanceOf(RaftException.class)
        .hasMessageStartingWith("No member of a cluster answers at 127.0.0.1:");
  }

  @Test
  void shouldGiveUpDataOnlyIfToldSoAndGoOnWithAnAttempt() throws Exception {
    Node first = of(RaftSettings.DEFAULT).leader();
    Node withData = cluster.nodeWithData();
    assertThatThrownBy(() -> join(withData, first))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("this server has data, which a copy of the member's");
    assertThat(withData.mark()).isNull();
    // An attempt that has copied nothing gives no right to data that came after it.
    Files.createDirectories(withData.folder());
    Files.writeString(
        withData.folder().resolve("joining"),
        first.log().cluster() + "\n127.0.0.1\n" + first.port + "\n");
    assertThatThrownBy(() -> join(withData, first))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("--replace gives them up");
    UUID nobody = UUID.randomUUID();
    assertThatThrownBy(() -> join(withData, first, true, nobody))
        .isInstanceOf(RaftException.class)
        .hasMessage("The cluster has no member " + nobody + " to take the place of.");
    // The copy is there, and the server waits, also after its start: it goes on from there.
    assertThat(withData.mark()).isEqualTo(first.mark());
    withData.stop();
    withData.start();
    assertThat(join(withData, first)).contains("is a member of the cluster");
    cluster.write("after", 3);
    shouldBeEqual(List.of(first, withData));
  }

  private static void assertRefused(Node joining, Suitability has, String sentence) {
    joining.suitability = has;
    LogMark before = joining.mark();
    assertThatThrownBy(() -> join(joining, joining.cluster().leader()))
        .isInstanceOf(RaftException.class)
        .hasMessage(sentence);
    assertThat(joining.mark()).isEqualTo(before);
    assertThat(joining.log()).isNull();
  }

  @Test
  void shouldTakeThePlaceOfAMemberWhoseDiskWasLost() throws Exception {
    Node first = of(RaftSettings.DEFAULT).leader();
    Node second = cluster.node();
    join(second, first);
    Node third = cluster.node();
    join(third, first);
    UUID lost = third.log().id();
    third.stop();
    Node again = cluster.node();
    assertThat(join(again, first, false, lost)).contains(lost + " is no member any more");
    cluster.write("after", 5);
    shouldBeEqual(List.of(first, second, again));
    assertThat(first.log().status().members())
        .extracting(member -> member.address().id())
        .containsExactlyInAnyOrder(first.log().id(), second.log().id(), again.log().id());
  }

  @Test
  void shouldCatchUpByACopyIfTheLogWasDroppedMeanwhile() throws Exception {
    Node first = of(LITTLE_KEPT).leader();
    Node second = cluster.node();
    join(second, first);
    Node third = cluster.node();
    join(third, first);
    third.stop();
    cluster.writeLarge("large", 20, 16 << 10);
    long behind = third.lastMark().index();
    Patience.eventually(
        "the log was dropped",
        () -> cluster.firstKept(first) > behind + 1 && cluster.firstKept(second) > behind + 1);
    third.start();
    shouldBeEqual(List.of(first, second, third));
    cluster.write("after", 5);
    shouldBeEqual(List.of(first, second, third));

    // One whose copy ends before the log begins, once it is added, takes another one.
    Node fourth = cluster.node();
    assertThatThrownBy(() -> join(fourth, first, false, UUID.randomUUID()))
        .isInstanceOf(RaftException.class);
    cluster.writeLarge("more", 20, 16 << 10);
    long copied = fourth.mark().index();
    Patience.eventually("the log was dropped", () -> cluster.firstKept(first) > copied + 1);
    join(fourth, first);
    shouldBeEqual(List.of(first, second, third, fourth));
  }

  /** Answers as the service does, but for what a test changes. */
  private static Peer through(CopyServer server, Changer changer) {
    return (kind, request, timeout) -> {
      byte wanted = request.get(request.position());
      return server
          .answer(request.asReadOnlyBuffer())
          .thenCompose(answer -> changer.change(wanted, answer));
    };
  }

  private interface Changer {
    CompletableFuture<ByteBuffer> change(byte wanted, ByteBuffer answer);
  }

  private static boolean isPiece(byte wanted, ByteBuffer answer) {
    return wanted == CopyServer.PIECE && answer.get(0) == CopyServer.READY;
  }

  @Test
  void shouldRefuseADamagedPiece() throws Exception {
    Node first = of(RaftSettings.DEFAULT).leader();
    Node other = cluster.node();
    try (CopyServer server =
        new CopyServer(first.store(), folder.resolve("out"), new CopyLimits(0, 2, 60))) {
      Peer damaging =
          through(
              server,
              (wanted, answer) -> {
                if (isPiece(wanted, answer)) {
                  int at = answer.limit() - 5;
                  answer.put(at, (byte) (answer.get(at) ^ 1));
                }
                return CompletableFuture.completedFuture(answer);
              });
      assertThatThrownBy(() -> other.copying().take(damaging, 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("was damaged on its way: it was refused");
      assertThat(other.mark()).isNull();
      // The digest of the whole is looked at, too.
      Peer other2 =
          through(
              server,
              (wanted, answer) -> {
                if (wanted == CopyServer.STATE && answer.get(0) == CopyServer.READY) {
                  int at = answer.limit() - 1;
                  answer.put(at, (byte) (answer.get(at) ^ 1));
                }
                return CompletableFuture.completedFuture(answer);
              });
      assertThatThrownBy(() -> other.copying().take(other2, 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another digest than that of the member");
      assertThat(other.mark()).isNull();
      Patience.eventually("copies are deleted", () -> server.count() == 0);
    }
  }

  @Test
  void shouldBeginAgainAfterEitherSideHasGone() throws Exception {
    Node first = of(RaftSettings.DEFAULT).leader();
    cluster.writeLarge("large", 8, 512 << 10);
    Node other = cluster.node();
    try (CopyServer server =
        new CopyServer(first.store(), folder.resolve("out"), new CopyLimits(0, 2, 1))) {
      AtomicInteger pieces = new AtomicInteger();
      // The server that fetches hears nothing more, and does not end its copy either.
      Peer gone =
          (kind, request, timeout) -> {
            byte wanted = request.get(request.position());
            if (wanted == CopyServer.END || pieces.get() >= 2) {
              return CompletableFuture.failedFuture(new IOException("gone"));
            }
            pieces.addAndGet(wanted == CopyServer.PIECE ? 1 : 0);
            return server.answer(request.asReadOnlyBuffer());
          };
      assertThatThrownBy(() -> other.copying().take(gone, 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the member does not answer");
      assertThat(other.mark()).isNull();
      assertThat(pieces).hasValue(2);
      Patience.eventually("the copy that nobody fetches is deleted", () -> server.count() == 0);
      assertThat(folder.resolve("out")).isEmptyDirectory();
    }
    assertThat(join(other, first)).contains("is a member of the cluster");
    shouldBeEqual(List.of(first, other));
  }

  @Test
  void shouldBoundCopiesAndTheirRate() throws Exception {
    Node first = of(RaftSettings.DEFAULT).leader();
    cluster.writeLarge("large", 6, 512 << 10);
    Node other = cluster.node();
    try (CopyServer server =
        new CopyServer(first.store(), folder.resolve("out"), new CopyLimits(4, 2, 60))) {
      Peer peer = (kind, request, timeout) -> server.answer(request.asReadOnlyBuffer());
      long begun = System.nanoTime();
      other.copying().take(peer, first.mark().index());
      long millis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
      // Three pieces and a rest at four a second: the first one is not waited for.
      assertThat(millis).isGreaterThanOrEqualTo(500);
      assertThat(other.mark()).isEqualTo(first.mark());

      long next = first.mark().index() + 1;
      assertThatThrownBy(() -> other.copying().take(peer, next))
          .isInstanceOf(RaftException.class)
          .hasMessageContaining("and the copy is to reach to entry " + next);
      for (int i = 0; i < 2; i++) {
        server.answer(begin()).toCompletableFuture().get();
      }
      assertThatThrownBy(() -> other.copying().take(peer, 0))
          .isInstanceOf(RaftException.class)
          .hasMessage(
              "The member hands out as many copies as it may (cluster.copiesAtOnce = 2): try again"
                  + " later.");
      for (byte[] wrong : List.of(new byte[0], new byte[] {1}, new byte[40], new byte[] {9, 9})) {
        assertThatThrownBy(() -> server.answer(ByteBuffer.wrap(wrong)).toCompletableFuture().get())
            .hasMessageContaining("A request for a copy is not well-formed.");
      }
    }
  }

  private static ByteBuffer begin() {
    return ByteBuffer.allocate(9).put(CopyServer.BEGIN).putLong(0).flip();
  }
}
