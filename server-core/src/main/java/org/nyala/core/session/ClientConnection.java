package org.nyala.core.session;

import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.sasl.SecurityLayer;

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

  /** Returns the origin of the connection, for the security log. Any thread. */
  default ClientSource source() {
    return ClientSource.UNKNOWN;
  }

  /**
   * Returns the address of the client, compared by {@code equals}, and by its text: anonymous
   * clients of one address share it as their owner. Any thread.
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

  /** Returns whether the client has come over a loopback address. Any thread. */
  default boolean isOnThisMachine() {
    return false;
  }

  /**
   * Returns the name that the connection itself proves, as SASL EXTERNAL uses it (RFC 4422,
   * appendix A): of the process at the other end of a local socket, or the subject of the client's
   * certificate (RFC 2253); null if it proves none. Any thread.
   */
  default @Nullable String externalName() {
    return null;
  }

  /**
   * Returns the data that bind an exchange to this TLS connection; empty if there are none of the
   * kind. Any thread.
   */
  default byte[] channelBinding(ChannelBinding kind) {
    return new byte[0];
  }

  /**
   * Returns the strength of the encryption, in bits of its key; 0 without encryption. Any thread.
   */
  default int strengthBits() {
    return 0;
  }

  /** Returns the layer that the strength is that of; only one protects a connection. Any thread. */
  default Layer layer() {
    return Layer.TLS;
  }

  /** The layers that protect connections. */
  enum Layer {
    /** TLS, or none. */
    TLS,
    /** A security layer of SASL. */
    SASL,
    /** A local socket, which does not leave the machine. */
    TRANSPORT
  }

  /**
   * Returns the certificate that the client has proved to have, verified as the configuration
   * demands when the connection was encrypted; null if there is none. It may have ended since. Any
   * thread.
   */
  default @Nullable X509Certificate clientCertificate() {
    return null;
  }

  /**
   * Returns success if {@link #startTls} may be called: the request being taken is alone on the
   * connection, which can be encrypted and is not. Otherwise returns the reason. Any thread; never
   * success but on the event loop.
   */
  default LdapResult mayStartTls() {
    return LdapResult.of(ResultCode.UNAVAILABLE);
  }

  /**
   * Encrypts the connection right behind the answer to the request being taken (RFC 4511, section
   * 4.14), which is the last in clear text. On the event loop, after {@link #mayStartTls}.
   */
  default void startTls() {
    throw new IllegalStateException("this connection cannot be encrypted");
  }

  /**
   * Returns whether {@link #protect} may be called: nothing else protects the connection, so that
   * layers are not stacked. Any thread.
   */
  default boolean mayProtect() {
    return false;
  }

  /**
   * Protects the connection with a layer of SASL (RFC 4422, section 3.7), which is taken over: what
   * is sent from now on, and what the client has sent that is not decoded yet. On the event loop.
   */
  default void protect(SecurityLayer layer) {
    throw new IllegalStateException("this connection cannot be protected");
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
