package org.nyala.loadtest.engine;

import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.sasl.SaslLogin;
import org.nyala.loadtest.sasl.ScramException;
import org.nyala.loadtest.sasl.ScramExchange;
import org.nyala.loadtest.sasl.ScramKeyStore;
import org.nyala.loadtest.sasl.ScramKeys;

/**
 * The binds by SCRAM over a connection, one after the other: two requests each, unless the first
 * one fails. Keys that are not known yet are derived on other threads, and the connection waits for
 * them.
 *
 * <p>Confined to the channel's event loop.
 */
final class ScramBind {
  /** The sender of the requests, which is notified of the end. */
  interface Owner {
    /** Sends a request, whose answer is handed to {@link ScramBind#answered}. */
    void send(byte[] message);

    /** Notifies that the bind has ended with a result code other than success. */
    void refused(int resultCode);

    /**
     * Notifies that the bind has succeeded, and that the server has proved that it knows the user.
     */
    void bound();

    /** Notifies that the answers of the server are not those of one that knows the user. */
    void distrusted(String reason);
  }

  private static final int SASL_BIND_IN_PROGRESS = 14;

  private final Owner owner;
  private final ScramKeyStore keys;
  private final Executor eventLoop;
  private @Nullable ScramExchange exchange;
  private byte @Nullable [] credentials;
  private String mechanism = "";
  private int user;

  /**
   * Makes one without a bind under way.
   *
   * @param eventLoop the loop to which derived keys come
   */
  ScramBind(Owner owner, ScramKeyStore keys, Executor eventLoop) {
    this.owner = owner;
    this.keys = keys;
    this.eventLoop = eventLoop;
  }

  /**
   * Begins a bind; a former one that has not ended is dropped.
   *
   * @param number the number of the user among the keys
   * @param binding the data that binds it to the connection, for mechanisms that are bound
   */
  void begin(int number, SaslLogin login, byte[] binding) {
    user = number;
    mechanism = login.mechanism().label();
    ScramExchange begun = new ScramExchange(login, binding);
    exchange = begun;
    credentials = null;
    owner.send(Pdu.saslBind(mechanism, begun.first()));
  }

  /** Drops the bind under way. */
  void drop() {
    exchange = null;
    credentials = null;
  }

  /** Takes the server's message of the answer that is about to end. */
  void serverCredentials(BerCursor value) {
    credentials = value.octets();
  }

  /** Handles the end of an answer. */
  void answered(int resultCode) {
    ScramExchange current = exchange;
    byte[] message = credentials;
    credentials = null;
    if (current == null) {
      owner.distrusted("an answer to no request");
    } else if (resultCode != 0 && resultCode != SASL_BIND_IN_PROGRESS) {
      drop();
      owner.refused(resultCode);
    } else if (message == null || (resultCode == 0) != current.isProven()) {
      // Success without a proof as well: anybody can claim that.
      distrust("the server has not proved that it knows the user");
    } else {
      goOn(current, message);
    }
  }

  private void goOn(ScramExchange current, byte[] message) {
    try {
      if (current.isProven()) {
        current.verify(message);
        drop();
        owner.bound();
      } else {
        current.challenged(message);
        prove(current);
      }
    } catch (ScramException e) {
      distrust(String.valueOf(e.getMessage()));
    }
  }

  private void prove(ScramExchange current) throws ScramException {
    ScramKeys known = keys.find(user, current);
    if (known != null) {
      owner.send(Pdu.saslBind(mechanism, current.proof(known)));
      return;
    }
    var _ =
        keys.derive(user, current)
            .whenCompleteAsync((derived, failure) -> derived(current, derived, failure), eventLoop);
  }

  /** Goes on with keys, unless the bind was dropped meanwhile. */
  private void derived(
      ScramExchange current, @Nullable ScramKeys derived, @Nullable Throwable failure) {
    if (current != exchange) {
      return;
    }
    if (derived == null) {
      Throwable cause =
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure;
      distrust("no keys: " + cause);
      return;
    }
    try {
      owner.send(Pdu.saslBind(mechanism, current.proof(derived)));
    } catch (ScramException e) {
      distrust(String.valueOf(e.getMessage()));
    }
  }

  private void distrust(String reason) {
    drop();
    owner.distrusted(reason);
  }
}
