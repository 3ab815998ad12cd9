package org.nyala.cluster.raft;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/**
 * The answers to one kind of requests, which other members, and servers that want to become one,
 * send to the port of the log. Thread-safe.
 *
 * <p>Whoever has a certificate of the cluster's authority may send any bytes: a service checks
 * every length before it allocates, and bounds what it has in work.
 */
@FunctionalInterface
public interface PeerService {
  /**
   * Answers a request.
   *
   * @param request its bytes, read-only, of at most {@link PeerCalls#MOST_REQUEST_BYTES}; valid
   *     until the stage is complete
   * @return the bytes of the answer, or a failure, whose message the other side gets; the call
   *     itself returns at once, for it is on a thread of the network
   */
  CompletionStage<ByteBuffer> answer(ByteBuffer request);
}
