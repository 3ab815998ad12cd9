package org.nyala.cluster.join;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.nyala.cluster.raft.PeerRequestKind;
import org.nyala.cluster.raft.RaftException;

/** A member that answers requests beside the log. Thread-safe. */
@FunctionalInterface
public interface Peer {
  /** Sends a request; see {@link org.nyala.cluster.raft.PeerClient#ask}. */
  CompletionStage<ByteBuffer> ask(PeerRequestKind kind, ByteBuffer request, Duration timeout);

  /**
   * Sends a request and waits for the answer.
   *
   * @throws RaftException with the sentence of a refusal
   * @throws IOException if there is no answer
   */
  default ByteBuffer answer(PeerRequestKind kind, ByteBuffer request, Duration timeout)
      throws IOException {
    try {
      return ask(kind, request, timeout)
          .toCompletableFuture()
          .get(2 * timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw cause instanceof RaftException refusal
          ? new RaftException(String.valueOf(refusal.getMessage()), refusal)
          : new IOException(
              "the member does not answer: it may have stopped, and is asked again by the same"
                  + " command once it runs",
              e);
    } catch (TimeoutException e) {
      throw new IOException("the member does not answer in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the wait for a member was interrupted", e);
    }
  }
}
