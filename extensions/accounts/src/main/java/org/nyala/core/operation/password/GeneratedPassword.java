package org.nyala.core.operation.password;

import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;
import org.nyala.core.policy.PasswordPolicy;

/** The passwords that the server makes up for clients that send none (RFC 3062). Stateless. */
final class GeneratedPassword {
  /** The characters of generated passwords: none is easily mistaken for another. */
  private static final String ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

  /** The usual length; 16 characters out of 56 are 92 bits. */
  private static final int LENGTH = 16;

  private static final int MOST = 256;

  private GeneratedPassword() {}

  /** Returns a new one, as long as a policy wants it. */
  static byte[] of(RandomGenerator random, PasswordPolicy.Changes terms) {
    int most = terms.maxLength() == 0 ? MOST : terms.maxLength();
    int length = Math.min(most, Math.clamp(terms.minLength(), LENGTH, MOST));
    StringBuilder password = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      password.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return password.toString().getBytes(StandardCharsets.US_ASCII);
  }
}
