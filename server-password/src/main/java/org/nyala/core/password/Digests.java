package org.nyala.core.password;

import java.security.MessageDigest;
import java.util.EnumMap;
import java.util.Map;
import org.nyala.core.bytes.ByteDigest;

/**
 * Message digests to be used once. They are copies of one that is never used: copying costs less
 * than asking the security providers for another.
 *
 * <p>Thread-safe.
 */
final class Digests {
  private static final Map<PasswordScheme, MessageDigest> UNUSED =
      new EnumMap<>(PasswordScheme.class);

  static {
    for (PasswordScheme scheme : PasswordScheme.values()) {
      if (scheme.isDigest()) {
        UNUSED.put(scheme, ByteDigest.of(scheme.digest()));
      }
    }
  }

  private Digests() {}

  static MessageDigest of(PasswordScheme scheme) {
    MessageDigest unused = UNUSED.get(scheme);
    if (unused == null) {
      throw new IllegalArgumentException(scheme + " is not a digest");
    }
    try {
      return (MessageDigest) unused.clone();
    } catch (CloneNotSupportedException _) {
      return ByteDigest.of(scheme.digest());
    }
  }
}
