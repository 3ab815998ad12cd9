package org.nyala.core.session;

import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;

/**
 * The connection as a session uses it. Confined to the channel's event loop unless a method states
 * otherwise.
 */
public interface ClientConnection {
  /** The connection's number, 1, 2, 3… Any thread. */
  int number();

  /** The address and port of the client, as {@code IP=127.0.0.1:40000}. Any thread. */
  default String peer() {
    return "unknown";
  }

  /**
   * Returns the address of the client, compared by {@code equals}: anonymous clients of one address
   * share it as their owner. Any thread.
   */
  default Object address() {
    return this;
  }

  /**
   * Returns whether the connection has had its turn on the event loop, so that nothing more is
   * started; {@link Session#goOn} is called when another turn begins. On the event loop.
   */
  default boolean isTurnOver() {
    return false;
  }

  /** Returns whether the client is on this machine, judging by the address of the other end. */
  default boolean isOnThisMachine() {
    return false;
  }

  /** The address and port that the client has come to, likewise. Any thread. */
  default String local() {
    return "unknown";
  }

  /**
   * The system's number for the connection, if it has one; otherwise {@link #number}. Any thread.
   */
  default int descriptor() {
    return number();
  }

  /** Returns whether undecoded data has arrived. */
  default boolean hasUndecoded() {
    return false;
  }

  /** Runs {@code work} on the event loop, at once if the caller is on it. Any thread. */
  void execute(Runnable work);

  /**
   * Runs {@code work} on the event loop after its current work, never before this returns. Any
   * thread.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the event loop has ended
   */
  void executeLater(Runnable work);

  /** Opens the sink for the answers to a request. */
  ResponseSink openSink(Request request);

  /** The session takes requests again after {@link Session#wantsRequests()} was false. */
  void resumeReading();

  /**
   * Sends an unsolicited notification (RFC 4511, section 4.4), unless the connection is ending.
   *
   * @param result the result in it
   * @param oid its identifier
   * @param value its value, or null
   */
  void sendNotice(LdapResult result, String oid, byte @Nullable [] value);

  /**
   * Ends the connection once everything that was flushed is sent, with a notice of disconnection if
   * one is given.
   */
  void disconnect(@Nullable LdapResult notice);
}
