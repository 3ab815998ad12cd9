package org.nyala.core.session;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;

/**
 * A listener for client activity, called in order for each connection. Thread-safe; quick, never
 * blocks, throws nothing.
 */
public interface SessionListener {
  /** A listener that ignores all events. */
  SessionListener NONE = new SessionListener() {};

  /**
   * Returns a listener for several, which learn of each event in this order.
   *
   * @param listeners those, of which {@link #NONE} is left out
   * @return the only one itself, if there is one
   */
  static SessionListener of(SessionListener... listeners) {
    SessionListener[] all =
        Stream.of(listeners).filter(each -> each != NONE).toArray(SessionListener[]::new);
    return switch (all.length) {
      case 0 -> NONE;
      case 1 -> all[0];
      default -> new SessionListeners(all);
    };
  }

  /** A connection was accepted. */
  default void opened(Session session) {}

  /**
   * The connection is encrypted by TLS from now on, with the strength that it tells.
   *
   * @param protocol the version of the protocol, such as {@code TLSv1.3}
   * @param cipher the cipher suite, such as {@code TLS_AES_256_GCM_SHA384}
   */
  default void encrypted(Session session, String protocol, String cipher) {}

  /**
   * A request is about to be carried out.
   *
   * @param number counts the requests of the session, from 0
   */
  default void started(Session session, int number, Request request) {}

  /**
   * Called when an operation has ended, and its phases are over.
   *
   * @param answer the final result; null if it ended without one
   */
  default void completed(Session session, Operation operation, @Nullable LdapResult answer) {}

  /**
   * Called when a bind was refused before it was one: its content is malformed.
   *
   * @param answer the answer
   */
  default void bindMalformed(Session session, LdapResult answer) {}

  /**
   * Called when a wrong password has locked an account, on the writer's thread.
   *
   * @param operation has shown it; may have been abandoned meanwhile
   */
  default void accountLocked(Session session, Operation operation, Dn account) {}

  /**
   * Called when passwords of an entry have been changed, on the writer's thread, before the
   * operation ends.
   */
  default void passwordChanged(Session session, Operation operation, Dn account) {}

  /** Called when the session is over; its running operations may still end. */
  default void closed(Session session) {}
}
