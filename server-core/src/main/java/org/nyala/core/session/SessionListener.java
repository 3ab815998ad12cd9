package org.nyala.core.session;

import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;

/**
 * Is told what clients do, in order for each connection. Thread-safe; quick, never blocks, throws
 * nothing.
 */
public interface SessionListener {
  /** Nobody wants to know. */
  SessionListener NONE = new SessionListener() {};

  /** A connection was accepted. */
  default void opened(Session session) {}

  /**
   * A request is about to be carried out.
   *
   * @param number counts the requests of the session, from 0
   */
  default void started(Session session, int number, Request request) {}

  /**
   * An operation has ended, and its phases are over.
   *
   * @param answer null where it ended without one
   */
  default void completed(Session session, Operation operation, @Nullable LdapResult answer) {}

  /** The session is over; what it was carrying out may still end. */
  default void closed(Session session) {}
}
