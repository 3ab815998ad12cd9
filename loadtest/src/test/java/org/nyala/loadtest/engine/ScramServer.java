package org.nyala.loadtest.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ongres.scram.common.ScramFunctions;
import com.ongres.scram.common.ScramMechanism;
import com.ongres.scram.common.StringPreparation;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import java.io.OutputStream;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server of SCRAM-SHA-256, honest or not, that answers searches as well. Thread-safe.
 *
 * <p>The password of {@code user.N} is {@code password.N}, that of all others {@code secret}.
 */
final class ScramServer implements StubServer.Behaviour {
  /** The ways in which it answers. */
  enum Kind {
    HONEST,
    /** Signs with keys of another password: it does not know the user. */
    WRONG_SIGNATURE,
    /** The same after twenty binds. */
    WRONG_SIGNATURE_LATER,
    /** Answers the proof with success alone. */
    NO_SIGNATURE,
    /** Answers the first message with success. */
    SUCCESS_AT_ONCE,
    /** Does not offer the mechanism. */
    REFUSING,
    /** Wants an hour of work. */
    MANY_ITERATIONS,
    /** Goes on with another exchange than the client's. */
    OTHER_NONCE,
    /** Answers with bytes that are no message of SCRAM. */
    GARBAGE
  }

  static final int TRUSTED_BINDS = 20;

  private static final ScramMechanism MECHANISM = ScramMechanism.SCRAM_SHA_256;
  private static final byte[] SALT = "a salt of bytes!".getBytes(UTF_8);
  private static final int ITERATIONS = 4096;
  private static final int SUCCESS = 0;
  private static final int AUTH_METHOD_NOT_SUPPORTED = 7;
  private static final int IN_PROGRESS = 14;
  private static final int INVALID_CREDENTIALS = 49;

  private final Kind kind;
  private final Map<OutputStream, String[]> exchanges = new ConcurrentHashMap<>();
  private final Map<String, byte[]> salted = new ConcurrentHashMap<>();
  private final AtomicInteger bound = new AtomicInteger();

  ScramServer(Kind kind) {
    this.kind = kind;
  }

  /** The number of binds with a right proof. */
  int bound() {
    return bound.get();
  }

  @Override
  public void answer(LDAPMessage request, int number, OutputStream out) throws Exception {
    if (request.getProtocolOpType() != 0x60
        || request.getBindRequestProtocolOp().getSASLMechanism() == null) {
      out.write(StubServer.right(request));
      return;
    }
    BindRequestProtocolOp bind = request.getBindRequestProtocolOp();
    String message = bind.getSASLCredentials().stringValue();
    BindResponseProtocolOp response =
        message.startsWith("c=") ? second(out, message) : first(out, message);
    out.write(StubServer.encode(request.getMessageID(), response));
  }

  private static BindResponseProtocolOp response(int code, String credentials) {
    return new BindResponseProtocolOp(
        code, null, null, null, credentials.isEmpty() ? null : new ASN1OctetString(credentials));
  }

  private BindResponseProtocolOp first(OutputStream connection, String message) {
    String bare = message.substring(message.indexOf(",n=") + 1);
    String nonce = bare.substring(bare.indexOf(",r=") + 3);
    String user = bare.substring(2, bare.indexOf(",r="));
    int iterations = kind == Kind.MANY_ITERATIONS ? Integer.MAX_VALUE : ITERATIONS;
    String challenge =
        "r=%sserver,s=%s,i=%d"
            .formatted(
                kind == Kind.OTHER_NONCE ? "other" : nonce,
                Base64.getEncoder().encodeToString(SALT),
                iterations);
    exchanges.put(connection, new String[] {user, bare, challenge});
    return switch (kind) {
      case REFUSING -> response(AUTH_METHOD_NOT_SUPPORTED, "");
      case SUCCESS_AT_ONCE -> response(SUCCESS, challenge);
      case GARBAGE -> response(IN_PROGRESS, "hello");
      default -> response(IN_PROGRESS, challenge);
    };
  }

  private byte[] salted(String password) {
    return salted.computeIfAbsent(
        password,
        _ ->
            ScramFunctions.saltedPassword(
                MECHANISM,
                StringPreparation.NO_PREPARATION,
                password.toCharArray(),
                SALT,
                ITERATIONS));
  }

  private BindResponseProtocolOp second(OutputStream connection, String message) {
    String[] exchange = exchanges.remove(connection);
    int proofAt = message.indexOf(",p=");
    byte[] proof = Base64.getDecoder().decode(message.substring(proofAt + 3));
    String authMessage = exchange[1] + "," + exchange[2] + "," + message.substring(0, proofAt);
    boolean isPerson = exchange[0].startsWith("user.");
    byte[] keys = salted(isPerson ? exchange[0].replace("user", "password") : "secret");
    byte[] storedKey =
        ScramFunctions.storedKey(MECHANISM, ScramFunctions.clientKey(MECHANISM, keys));
    if (!ScramFunctions.verifyClientProof(MECHANISM, proof, storedKey, authMessage)) {
      return response(INVALID_CREDENTIALS, "");
    }
    int before = bound.getAndIncrement();
    boolean isForged =
        kind == Kind.WRONG_SIGNATURE
            || kind == Kind.WRONG_SIGNATURE_LATER && before >= TRUSTED_BINDS;
    byte[] serverKey = ScramFunctions.serverKey(MECHANISM, isForged ? salted("guess") : keys);
    byte[] signature = ScramFunctions.serverSignature(MECHANISM, serverKey, authMessage);
    return response(
        SUCCESS,
        kind == Kind.NO_SIGNATURE ? "" : "v=" + Base64.getEncoder().encodeToString(signature));
  }
}
