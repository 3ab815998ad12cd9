package org.nyala.loadtest.sasl;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ongres.scram.client.ScramClient;
import com.ongres.scram.common.ClientFirstMessage;
import com.ongres.scram.common.Gs2CbindFlag;
import com.ongres.scram.common.ScramFunctions;
import com.ongres.scram.common.ScramMechanism;
import com.ongres.scram.common.ServerFirstMessage;
import com.ongres.scram.common.util.TlsServerEndpoint;
import java.security.SecureRandom;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of one bind by SCRAM (RFC 5802, section 5): two messages of the client, each
 * answered by one of the server, whose last one proves that the server knows the user as well.
 *
 * <p>The keys come from outside, so that they can be kept from one bind to the next.
 *
 * <p>Confined to the channel's event loop.
 */
public final class ScramExchange {
  /**
   * The greatest number of iterations that a server may ask for: a second or so of a processor for
   * each user. Servers use 4,096 to some 100,000.
   */
  static final int MOST_ITERATIONS = 2_000_000;

  private static final int NONCE_LENGTH = 24;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final SaslLogin login;
  private final byte[] binding;
  private final String nonce;
  private String challenge = "";
  private String salt = "";
  private int iterations;
  private @Nullable ScramClient client;

  /**
   * Begins an exchange.
   *
   * @param binding the data of {@code tls-server-end-point}, see {@link #binding}; not used by
   *     mechanisms that are not bound
   */
  public ScramExchange(SaslLogin login, byte[] binding) {
    this.login = login;
    this.binding = binding;
    this.nonce = ScramFunctions.nonce(NONCE_LENGTH, RANDOM);
  }

  static ScramMechanism mechanism(Mechanism mechanism) {
    return Objects.requireNonNull(ScramMechanism.byName(mechanism.label()));
  }

  /**
   * The data that binds an exchange to a connection: a hash of the server's certificate (RFC 5929,
   * section 4.1). Empty if it is not defined for its signature, such as Ed25519.
   */
  public static byte[] binding(X509Certificate certificate) throws CertificateEncodingException {
    return TlsServerEndpoint.getChannelBindingData(certificate);
  }

  public byte[] first() {
    boolean isBound = login.mechanism().isBound();
    return new ClientFirstMessage(
            isBound ? Gs2CbindFlag.CHANNEL_BINDING_REQUIRED : Gs2CbindFlag.CLIENT_NOT,
            isBound ? TlsServerEndpoint.TLS_SERVER_END_POINT : null,
            login.authzid().isEmpty() ? null : login.authzid(),
            login.user(),
            nonce)
        .toString()
        .getBytes(UTF_8);
  }

  /**
   * Takes the answer to the first message, which names salt and iterations of the user.
   *
   * @throws ScramException if it is malformed, answers another message, or asks for more iterations
   *     than {@link #MOST_ITERATIONS}
   */
  public void challenged(byte[] message) throws ScramException {
    challenge = new String(message, UTF_8);
    try {
      ServerFirstMessage first = ServerFirstMessage.parseFrom(challenge, nonce);
      salt = first.getSalt();
      iterations = first.getIterationCount();
    } catch (com.ongres.scram.common.exception.ScramException | IllegalArgumentException e) {
      throw new ScramException("not the first message of a server: " + e.getMessage(), e);
    }
    if (iterations > MOST_ITERATIONS) {
      throw new ScramException("the server asks for " + iterations + " iterations");
    }
  }

  /** The user's salt, in base64, after {@link #challenged}. */
  String salt() {
    return salt;
  }

  /** The iterations of the user's keys, after {@link #challenged}. */
  int iterations() {
    return iterations;
  }

  /**
   * The second message, which proves the password.
   *
   * @param keys the keys of the user with the salt and the iterations of the challenge
   * @throws ScramException if the challenge is malformed
   */
  public byte[] proof(ScramKeys keys) throws ScramException {
    var builder =
        ScramClient.builder()
            .advertisedMechanisms(List.of(login.mechanism().label()))
            .username(login.user())
            .clientAndServerKey(keys.clientKey(), keys.serverKey())
            .nonceSupplier(() -> nonce);
    if (!login.authzid().isEmpty()) {
      builder.authzid(login.authzid());
    }
    if (login.mechanism().isBound()) {
      builder.channelBinding(TlsServerEndpoint.TLS_SERVER_END_POINT, binding);
    }
    try {
      ScramClient proving = builder.build();
      ClientFirstMessage _ = proving.clientFirstMessage();
      ServerFirstMessage _ = proving.serverFirstMessage(challenge);
      byte[] proof = proving.clientFinalMessage().toString().getBytes(UTF_8);
      client = proving;
      return proof;
    } catch (com.ongres.scram.common.exception.ScramException | IllegalArgumentException e) {
      throw new ScramException("not the first message of a server: " + e.getMessage(), e);
    }
  }

  /** Returns whether {@link #proof} was made, so that the server's proof is due. */
  public boolean isProven() {
    return client != null;
  }

  /**
   * Checks the server's proof, which it cannot make without the keys of the user.
   *
   * @throws ScramException if it is wrong, or none
   */
  public void verify(byte[] message) throws ScramException {
    try {
      var _ = Objects.requireNonNull(client).serverFinalMessage(new String(message, UTF_8));
    } catch (com.ongres.scram.common.exception.ScramException | IllegalArgumentException e) {
      throw new ScramException("wrong signature of the server", e);
    }
  }
}
