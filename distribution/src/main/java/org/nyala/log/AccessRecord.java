package org.nyala.log;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.metrics.Phase;

/**
 * Something that a client did, without the values that it sent.
 *
 * <p>Immutable.
 */
sealed interface AccessRecord {
  /** When. */
  Instant time();

  /** The number of its connection. */
  int connection();

  /** A connection was accepted. */
  record Opened(Instant time, int connection, int descriptor, String peer, String local)
      implements AccessRecord {}

  /** A request is about to be carried out. */
  record Started(Instant time, int connection, int number, Request request)
      implements AccessRecord {}

  /**
   * An operation has ended.
   *
   * @param answer null where it was abandoned
   * @param phaseNanos what each phase took; those that took nothing are left out
   * @param entries search result entries sent
   * @param identity on whose behalf it ran; empty for nobody in particular
   */
  record Ended(
      Instant time,
      int connection,
      int number,
      Request request,
      @Nullable LdapResult answer,
      Map<Phase, Long> phaseNanos,
      long totalNanos,
      int entries,
      String identity)
      implements AccessRecord {
    /** Takes the map over. */
    public Ended {
      phaseNanos = Collections.unmodifiableMap(phaseNanos);
    }

    /** What a phase took; 0 where it was not gone through. */
    public long nanos(Phase phase) {
      Long nanos = phaseNanos.get(phase);
      return nanos == null ? 0 : nanos;
    }
  }

  /** The session of a connection is over. */
  record Closed(Instant time, int connection, int descriptor) implements AccessRecord {}
}
