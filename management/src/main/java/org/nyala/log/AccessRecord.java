package org.nyala.log;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.metrics.Phase;
import org.nyala.core.session.SecurityTrail;

/**
 * An event of a connection or request, without the values that the client sent.
 *
 * <p>Immutable.
 */
sealed interface AccessRecord {
  Instant time();

  int connection();

  /** A connection was accepted. */
  record Opened(Instant time, int connection, int descriptor, String peer, String local)
      implements AccessRecord {}

  /**
   * A connection is encrypted by TLS from now on.
   *
   * @param bits the bits of the cipher's key
   */
  record Encrypted(
      Instant time, int connection, int descriptor, String protocol, String cipher, int bits)
      implements AccessRecord {}

  /**
   * The execution of a request begins.
   *
   * @param detail the operation that an extended request is, as slapd's log names it; empty for
   *     none
   */
  record Started(Instant time, int connection, int number, Request request, String detail)
      implements AccessRecord {}

  /**
   * An operation has ended.
   *
   * @param answer null if the operation was abandoned
   * @param phaseNanos the duration of each phase; phases without any are left out
   * @param entries search result entries sent
   * @param identity the DN that it ran as; empty if anonymous
   * @param names the names that a bind by SASL has sent, and the one that acts as another
   * @param bits the strength of the encryption when it ended, in bits; 0 for none
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
      String identity,
      Names names,
      int bits)
      implements AccessRecord {
    /** Takes ownership of the map. */
    public Ended {
      phaseNanos = Collections.unmodifiableMap(phaseNanos);
    }

    /** Returns the duration of a phase; 0 if the operation did not go through it. */
    public long nanos(Phase phase) {
      Long nanos = phaseNanos.get(phase);
      return nanos == null ? 0 : nanos;
    }
  }

  /**
   * The names of an operation that its request does not have.
   *
   * @param user the name of the user that SASL has sent; empty if none
   * @param asked the identity that the client asks to act as; empty for its own
   * @param actor the DN that acts as another; empty if none does
   */
  record Names(String user, String asked, String actor) {
    static final Names NONE = new Names("", "", "");

    /** Returns those of an operation. */
    static Names of(@Nullable SecurityTrail trail) {
      if (trail == null) {
        return NONE;
      }
      BoundIdentity actor = trail.actor();
      return new Names(trail.user(), trail.asked(), actor == null ? "" : actor.dn().toString());
    }

    /** Returns the memory that they take, in bytes. */
    long bytes() {
      return 2L * (user.length() + asked.length() + actor.length());
    }
  }

  /** The session of a connection is over. */
  record Closed(Instant time, int connection, int descriptor) implements AccessRecord {}
}
