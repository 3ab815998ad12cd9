package org.nyala.core.directory;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * Seals what the cookies of paged results hold, so that a cookie is good only on the server run
 * that made it, and only for the search that it was made for.
 *
 * <pre>
 *   16 bytes  the first half of HMAC-SHA-256 over content and search
 *   content
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class PageSeals {
  private static final int SEAL_LENGTH = 16;
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec secret;

  /**
   * Seals with a secret.
   *
   * @param secret at least 16 bytes that clients cannot guess, new in each run
   */
  PageSeals(byte[] secret) {
    this.secret = new SecretKeySpec(secret, ALGORITHM);
  }

  /** Seals with a secret of this run. */
  public static PageSeals random() {
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    return new PageSeals(secret);
  }

  public byte[] seal(byte[] content, byte[] search) {
    byte[] cookie = Arrays.copyOf(mac(content, 0, search), SEAL_LENGTH + content.length);
    System.arraycopy(content, 0, cookie, SEAL_LENGTH, content.length);
    return cookie;
  }

  /**
   * The content of a cookie.
   *
   * @throws LdapOperationException protocolError if it is too short for a cookie,
   *     unwillingToPerform when it is not one of this run for this search
   */
  public byte[] open(byte[] cookie, byte[] search) throws LdapOperationException {
    if (cookie.length <= SEAL_LENGTH) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "the cookie for paged results is invalid");
    }
    byte[] mac = Arrays.copyOf(mac(cookie, SEAL_LENGTH, search), SEAL_LENGTH);
    if (!MessageDigest.isEqual(mac, Arrays.copyOf(cookie, SEAL_LENGTH))) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "the cookie for paged results is invalid, old, or of another search");
    }
    return Arrays.copyOfRange(cookie, SEAL_LENGTH, cookie.length);
  }

  private byte[] mac(byte[] source, int from, byte[] search) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(secret);
      mac.update(search);
      mac.update(source, from, source.length - from);
      byte[] whole = mac.doFinal();
      return Arrays.copyOf(whole, SEAL_LENGTH);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JVM has " + ALGORITHM, e);
    }
  }
}
