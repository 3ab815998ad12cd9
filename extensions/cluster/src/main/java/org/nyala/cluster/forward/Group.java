package org.nyala.cluster.forward;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;

/** The cluster as this member sees it. Thread-safe; no method waits. */
public interface Group {
  /**
   * Returns why nothing can be passed on, as a sentence: the server belongs to no cluster, or the
   * member has stopped; null if it can.
   */
  @Nullable String obstacle();

  /** Returns the id of this member; only without an obstacle. */
  UUID self();

  /** Returns the member that leads; null if none is known. */
  @Nullable UUID leader();

  /** Returns the term in which this member leads and takes changes; -1 if it does not. */
  long leadingTerm();

  /**
   * Appends an entry that changes nothing; many calls share one.
   *
   * @return the place of the log that this member has reached with it; fails without a majority
   */
  CompletionStage<LogPosition> barrier();

  /** Returns a stage that completes once the store here has everything up to a place. */
  CompletionStage<Void> reaching(LogPosition at);

  /** Returns the place up to which the store here has everything. */
  LogPosition reached();

  /**
   * Passes a request on to the {@link LeaderService} of a member, be it this one.
   *
   * @param request its bytes; unchanged until the stage is complete
   * @return the bytes of the answer; fails if there is none in time
   */
  CompletionStage<ByteBuffer> ask(UUID member, ByteBuffer request, Duration timeout);
}
