package org.nyala.management.http;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.OwnedSlots;

/**
 * An answer that goes on until the client or the server ends it.
 *
 * <p>Immutable.
 *
 * @param headers further headers, none of them with input of clients
 * @param opening begins it once the client's place is known
 */
record HttpStream(Map<String, String> headers, Opening opening) implements HttpReply {
  /** Begins a stream. */
  interface Opening {
    /**
     * Takes a place for the stream.
     *
     * @param holder is told to leave if the place is taken by another
     * @return null if there is no place
     */
    @Nullable Source open(OwnedSlots.Tenant holder);
  }

  /** The bytes of a stream. */
  interface Source extends AutoCloseable {
    /**
     * Waits for the next bytes, a few seconds at most.
     *
     * @return null at the end
     */
    byte @Nullable [] next() throws InterruptedException;

    @Override
    void close();
  }

  HttpStream {
    headers = Map.copyOf(headers);
  }

  /** Returns the answer if there is no place. */
  static HttpAnswer full() {
    return HttpAnswer.text(HttpAnswer.UNAVAILABLE, "too many pages are open")
        .with("Retry-After", "10");
  }
}
