package org.nyala.cluster.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
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
