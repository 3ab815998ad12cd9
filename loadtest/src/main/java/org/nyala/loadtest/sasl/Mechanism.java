package org.nyala.loadtest.sasl;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The mechanisms of SASL that the load tester can bind by (RFC 4422). */
public enum Mechanism {
  /** The identity of the client's certificate (RFC 4422, appendix A). */
  EXTERNAL,
  /** A name and a password, as they are (RFC 4616). */
  PLAIN,
  /** A proof of the password (RFC 5802, RFC 7677). */
  SCRAM_SHA_256,
  /** The same, bound to the certificate of the server (RFC 5929, section 4). */
  SCRAM_SHA_256_PLUS,
  /** A proof of the password with longer keys. */
  SCRAM_SHA_512,
  /** The same, bound to the certificate of the server. */
  SCRAM_SHA_512_PLUS;

  /** All names, for help and messages. */
  public static final String LABELS =
      Arrays.stream(values()).map(Mechanism::label).collect(Collectors.joining(", "));

  /**
   * The mechanism of a name, in any case.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Mechanism of(String label) {
    String wanted = label.toUpperCase(Locale.ROOT);
    for (Mechanism mechanism : values()) {
      if (mechanism.label().equals(wanted)) {
        return mechanism;
      }
    }
    throw new IllegalArgumentException("no mechanism '" + label + "', but " + LABELS);
  }

  /** The name in bind requests. */
  public String label() {
    return name().replace('_', '-');
  }

  /** Returns whether it is one of SCRAM, whose messages differ in every bind. */
  public boolean isScram() {
    return this != EXTERNAL && this != PLAIN;
  }

  /** Returns whether it is bound to the TLS connection. */
  public boolean isBound() {
    return this == SCRAM_SHA_256_PLUS || this == SCRAM_SHA_512_PLUS;
  }
}
