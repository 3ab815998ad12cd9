package org.nyala.core.sasl;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The protection of a connection after a bind by GSSAPI (RFC 4752, section 3.3). */
public enum Protection {
  /** None by SASL. */
  AUTH("auth", 1),
  /** Nobody can change or add anything. */
  AUTH_INT("auth-int", 2),
  /** Nobody can read anything either. */
  AUTH_CONF("auth-conf", 4);

  private static final Protection[] ALL = values();

  private final String label;
  private final int bit;

  Protection(String label, int bit) {
    this.label = label;
    this.bit = bit;
  }

  /** Returns the name in the configuration, which is that of {@code javax.security.sasl.qop}. */
  public String label() {
    return label;
  }

  /** Returns the protection of a name; null if there is none. */
  public static @Nullable Protection of(String label) {
    for (Protection each : ALL) {
      if (each.label.equals(label)) {
        return each;
      }
    }
    return null;
  }

  /** Returns the protection of a bit on the wire; null if there is none. */
  static @Nullable Protection of(int bit) {
    for (Protection each : ALL) {
      if (each.bit == bit) {
        return each;
      }
    }
    return null;
  }

  /** Returns the bits of some on the wire. */
  static int bits(Collection<Protection> some) {
    int bits = 0;
    for (Protection each : some) {
      bits |= each.bit;
    }
    return bits;
  }
}
