package org.nyala.cluster.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerServiceTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final PeerService REVERSED =
      request -> {
        ByteBuffer reversed = ByteBuffer.allocate(request.remaining());
        for (int i = request.limit() - 1; i >= request.position(); i--) {
          reversed.put(request.get(i));
        }
        return CompletableFuture.completedFuture(reversed.flip());
      };
  private static final PeerService REFUSING =
      request -> CompletableFuture.failedFuture(new IllegalStateException("no copy today: 2 held"));
  private static final PeerService THROWING =
      request -> {
        throw new IllegalArgumentException("a length of " + request.remaining());
      };

  @TempDir private Path folder;

  @Test
  void membersAndStrangersAreAnsweredAndRefusalsTellWhy() throws Exception {
    try (TestCluster cluster =
        new TestCluster(folder, RaftSettings.DEFAULT, Precautions.ALL)
            .answering(
                Map.of(
                    PeerRequestKind.FORWARD,
                    REVERSED,
                    PeerRequestKind.COPY,
                    REFUSING,
                    PeerRequestKind.MEMBER,
                    THROWING))
            .of(2)) {
      TestCluster.Node first = cluster.nodes.getFirst();
      TestCluster.Node second = cluster.nodes.getLast();
      for (TestCluster.Node from : cluster.nodes) {
        for (TestCluster.Node to : cluster.nodes) {
          assertEquals(
              "cba", text(from.log().ask(to.id, PeerRequestKind.FORWARD, bytes("abc"), PATIENCE)));
        }
      }
      assertEquals(first.id, second.log().leader());
      int large = PeerCalls.MOST_REQUEST_BYTES;
      ByteBuffer answer =
          second
              .log()
              .ask(first.id, PeerRequestKind.FORWARD, ByteBuffer.allocate(large), PATIENCE)
              .get();
      assertEquals(large, answer.remaining());
      try (PeerClient client = PeerClient.open("127.0.0.1", second.port, PATIENCE, null)) {
        assertEquals(cluster.cluster(), client.cluster());
        assertEquals("cba", text(client.ask(PeerRequestKind.FORWARD, bytes("abc"), PATIENCE)));
        assertEquals(
            "no copy today: 2 held",
            refusal(client.ask(PeerRequestKind.COPY, bytes("x"), PATIENCE)));
        assertEquals(
            "a length of 3", refusal(client.ask(PeerRequestKind.MEMBER, bytes("abc"), PATIENCE)));
        assertEquals(
            "The member does not answer requests of kind 3.",
            refusal(client.ask(PeerRequestKind.ADMISSION, bytes("x"), PATIENCE)));
        assertTrue(
            refusal(client.ask(PeerRequestKind.FORWARD, ByteBuffer.allocate(large + 1), PATIENCE))
                .contains("at most"));
      }
    }
  }

  @Test
  void aSilentServiceIsGivenUpAndAnEmptyPortIsNoMember() throws Exception {
    try (TestCluster cluster =
        new TestCluster(folder, RaftSettings.DEFAULT, Precautions.ALL)
            .answering(Map.of(PeerRequestKind.COPY, request -> new CompletableFuture<>()))
            .of(1)) {
      try (PeerClient client =
          PeerClient.open("127.0.0.1", cluster.nodes.getFirst().port, PATIENCE, null)) {
        CompletableFuture<ByteBuffer> answer =
            client.ask(PeerRequestKind.COPY, bytes("x"), Duration.ofMillis(100));
        ExecutionException e = assertThrows(ExecutionException.class, answer::get);
        assertTrue(e.getCause() instanceof TimeoutException, String.valueOf(e.getCause()));
      }
    }
    int port = TestCluster.freePort();
    RaftException e =
        assertThrows(
            RaftException.class,
            () -> PeerClient.open("127.0.0.1", port, Duration.ofSeconds(2), null));
    assertTrue(e.getMessage().contains("127.0.0.1:" + port), e.getMessage());
  }

  @Test
  void aFormerLeaderIsWaitedForAsLongAsItAnswersAnything() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    AtomicBoolean isSilent = new AtomicBoolean();
    PeerService member =
        request -> {
          asked.incrementAndGet();
          return isSilent.get() ? new CompletableFuture<>() : REFUSING.answer(request);
        };
    try (TestCluster cluster =
        new TestCluster(folder, RaftSettings.DEFAULT, Precautions.ALL)
            .answering(
                Map.of(
                    PeerRequestKind.FORWARD,
                    request -> new CompletableFuture<>(),
                    PeerRequestKind.COPY,
                    request -> new CompletableFuture<>(),
                    PeerRequestKind.MEMBER,
                    member))
            .of(3)) {
      TestCluster.Node first = cluster.leader();
      TestCluster.Node from = cluster.nodes.get(1);
      TestCluster.Node next = cluster.nodes.get(2);
      Duration hour = Duration.ofHours(1);
      var waiting = from.log().ask(first.id, PeerRequestKind.FORWARD, bytes("a"), hour);
      first.log().transfer(next.id);
      TestCluster.awaitTrue("the former leader is asked", () -> asked.get() > 0);
      // Neither refusals nor one service that is slow end what waits on the same connection.
      CompletableFuture<ByteBuffer> slow =
          from.log().ask(first.id, PeerRequestKind.COPY, bytes("c"), Duration.ofMillis(300));
      refusal(from.log().ask(first.id, PeerRequestKind.MEMBER, bytes("d"), PATIENCE));
      ExecutionException late = assertThrows(ExecutionException.class, slow::get);
      assertTrue(late.getCause() instanceof TimeoutException, String.valueOf(late.getCause()));
      cluster.write();
      assertFalse(waiting.isDone());

      isSilent.set(true);
      var givenUp = from.log().ask(next.id, PeerRequestKind.FORWARD, bytes("b"), hour);
      next.log().transfer(from.id);
      ExecutionException e = assertThrows(ExecutionException.class, givenUp::get);
      assertFalse(e.getCause() instanceof ConnectException, String.valueOf(e.getCause()));
      assertFalse(waiting.isDone());
    }
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  private static String text(CompletableFuture<ByteBuffer> answer) throws Exception {
    return UTF_8.decode(answer.get()).toString();
  }

  private static String refusal(CompletableFuture<ByteBuffer> answer) {
    ExecutionException e = assertThrows(ExecutionException.class, answer::get);
    assertTrue(e.getCause() instanceof RaftException, String.valueOf(e.getCause()));
    return String.valueOf(e.getCause().getMessage());
  }
}
