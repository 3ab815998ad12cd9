package org.nyala.core.session;

import org.jspecify.annotations.Nullable;

/** The kinds of data by which an exchange is bound to a TLS connection (RFC 5056). */
public enum ChannelBinding {
  /** The hash of the server's certificate (RFC 5929, section 4). */
  TLS_SERVER_END_POINT("tls-server-end-point"),

  /** Keying material that only the two ends of this very connection have (RFC 9266). */
  TLS_EXPORTER("tls-exporter");

  private final String label;

  ChannelBinding(String label) {
    this.label = label;
  }

  /** Returns its registered name. */
  public String label() {
    return label;
  }

  /** Returns the kind of a registered name; null if it is not supported. */
  public static @Nullable ChannelBinding of(String label) {
    for (ChannelBinding each : values()) {
      if (each.label.equals(label)) {
        return each;
      }
    }
    return null;
  }
}
