package org.nyala.core.access.enforce;

import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.password.KeyedHash;
import org.nyala.core.schema.Schema;

/** The hashes of names in their normalised form, by a key that nobody knows. Immutable. */
final class NameHash {
  private final KeyedHash keyed;

  NameHash() {
    SecureRandom random = new SecureRandom();
    keyed = new KeyedHash(random.nextLong(), random.nextLong());
  }

  long of(Dn name) {
    return keyed.of(name.normalized());
  }

  /** The hash of the name in an attribute value; null if it is not a name alone. */
  @Nullable Long of(Schema schema, byte[] value) {
    for (byte each : value) {
      if (each == '#') {
        // Name and Optional UID, or a value in hexadecimal digits.
        return null;
      }
    }
    try {
      return of(DnParser.parse(schema, value, Integer.MAX_VALUE, Integer.MAX_VALUE));
    } catch (InvalidDnException _) {
      return null;
    }
  }
}
