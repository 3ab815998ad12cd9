package org.nyala.core.sasl;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.password.PasswordScheme;

/** The SASL mechanisms that clients may bind with. */
public enum SaslMechanism {
  /** The identity that the connection itself proves (RFC 4422, appendix A). */
  EXTERNAL("EXTERNAL", null, false),
  /** A name and a password (RFC 4616). */
  PLAIN("PLAIN", null, false),
  /** SCRAM with SHA-256 (RFC 7677). */
  SCRAM_SHA_256("SCRAM-SHA-256", PasswordScheme.SCRAM_SHA256, false),
  /** The same, bound to the TLS connection (RFC 5802, section 6). */
  SCRAM_SHA_256_PLUS("SCRAM-SHA-256-PLUS", PasswordScheme.SCRAM_SHA256, true),
  SCRAM_SHA_512("SCRAM-SHA-512", PasswordScheme.SCRAM_SHA512, false),
  /** The same, bound to the TLS connection. */
  SCRAM_SHA_512_PLUS("SCRAM-SHA-512-PLUS", PasswordScheme.SCRAM_SHA512, true),
  /** A ticket of Kerberos, with layers that protect the connection (RFC 4752). */
  GSSAPI("GSSAPI", null, false);

  private static final SaslMechanism[] ALL = values();

  private static final Set<SaslMechanism> TYPED =
      Set.copyOf(EnumSet.complementOf(EnumSet.of(EXTERNAL, GSSAPI)));

  private final String label;
  private final @Nullable PasswordScheme scheme;
  private final boolean isBound;

  SaslMechanism(String label, @Nullable PasswordScheme scheme, boolean isBound) {
    this.label = label;
    this.scheme = scheme;
    this.isBound = isBound;
  }

  /** Returns the name on the wire. */
  public String label() {
    return label;
  }

  /** Returns the mechanism of a name in any case; null if it is not known. */
  public static @Nullable SaslMechanism of(String label) {
    String upper = label.toUpperCase(Locale.ROOT);
    for (SaslMechanism mechanism : ALL) {
      if (mechanism.label.equals(upper)) {
        return mechanism;
      }
    }
    return null;
  }

  /**
   * Returns those whose names of users are what people type. The others have names of another kind,
   * which mean what certificates, sockets and realms say: a rule has to name them.
   */
  public static Set<SaslMechanism> ofTypedNames() {
    return TYPED;
  }

  /** Returns the scheme of the keys that SCRAM takes; null for another mechanism. */
  public @Nullable PasswordScheme scheme() {
    return scheme;
  }

  /** Returns whether it is bound to the channel, so that nobody can stand in the middle. */
  public boolean isBound() {
    return isBound;
  }

  /** Returns the mechanism that differs in being bound to the channel; itself if there is none. */
  public SaslMechanism bound() {
    return switch (this) {
      case SCRAM_SHA_256 -> SCRAM_SHA_256_PLUS;
      case SCRAM_SHA_512 -> SCRAM_SHA_512_PLUS;
      case EXTERNAL, PLAIN, SCRAM_SHA_256_PLUS, SCRAM_SHA_512_PLUS, GSSAPI -> this;
    };
  }
}
