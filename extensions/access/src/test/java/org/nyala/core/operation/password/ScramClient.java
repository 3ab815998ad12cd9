package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;

/** The client's side of SCRAM-SHA-256 (RFC 5802, section 3; RFC 7677). Stateless. */
final class ScramClient {
  private static final String MECHANISM = "SCRAM-SHA-256";

  private ScramClient() {}

  /** Binds, and returns the answer to the last message. */
  static PolicyAnswer bind(LiveDirectory.Client client, String name, String password) {
    String user = "dn:" + name;
    String bare = "n=" + user.replace("=", "=3D").replace(",", "=2C") + ",r=abcdef";
    LiveDirectory.Event event = send(client, "n,," + bare);
    if (event.result().code() != ResultCode.SASL_BIND_IN_PROGRESS) {
      throw new AssertionError("no challenge: " + event);
    }
    String challenge = new String(Objects.requireNonNull(event.value()), UTF_8);
    String[] parts = challenge.split(",", -1);
    String withoutProof = "c=biws," + parts[0];
    try {
      byte[] salted = salted(password, parts[1].substring(2), parts[2].substring(2));
      byte[] clientKey = hmac(salted, "Client Key");
      byte[] stored = MessageDigest.getInstance("SHA-256").digest(clientKey);
      byte[] signature = hmac(stored, bare + ',' + challenge + ',' + withoutProof);
      byte[] proof = new byte[signature.length];
      for (int i = 0; i < proof.length; i++) {
        proof[i] = (byte) (clientKey[i] ^ signature[i]);
      }
      String last = withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof);
      return PolicyAnswer.of(send(client, last).result());
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static LiveDirectory.Event send(LiveDirectory.Client client, String message) {
    return client.ask(
        new Request.Bind(
            client.nextId(), 3, "", MECHANISM, message.getBytes(UTF_8), PolicedDirectory.ASKS));
  }

  private static byte[] salted(String password, String salt, String iterations)
      throws GeneralSecurityException {
    PBEKeySpec keys =
        new PBEKeySpec(
            password.toCharArray(),
            Base64.getDecoder().decode(salt),
            Integer.parseInt(iterations),
            256);
    return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(keys).getEncoded();
  }

  private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(text.getBytes(UTF_8));
  }
}
