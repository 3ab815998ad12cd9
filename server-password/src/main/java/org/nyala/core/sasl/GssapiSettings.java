package org.nyala.core.sasl;

import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.Key;

/**
 * The settings of GSSAPI.
 *
 * <p>Immutable.
 *
 * @param keytab the file with the server's keys
 * @param principal the server's name in Kerberos, as {@code ldap/host@REALM}; null for the only one
 *     in the keytab that begins with {@code ldap/}
 * @param krb5Conf the configuration of Kerberos; null for that of the machine
 * @param protections those that a connection without TLS may have, at least one
 * @param isMutual true if clients have to let the server prove who it is
 * @param tokenBytes bytes of one message of a client, at least {@link #TOKEN_MINIMUM}
 * @param bufferBytes bytes of a wrapped buffer in each direction, at least {@link #BUFFER_MINIMUM}
 */
public record GssapiSettings(
    @Key Path keytab,
    @Key @Nullable String principal,
    @Key @Nullable Path krb5Conf,
    Set<Protection> protections,
    @Key(name = "requireMutual", on = true) boolean isMutual,
    @Key(usual = GssapiSettings.TOKEN_BYTES, from = GssapiSettings.TOKEN_MINIMUM, to = 1 << 20)
        int tokenBytes,
    @Key(
            usual = GssapiSettings.BUFFER_BYTES,
            from = GssapiSettings.BUFFER_MINIMUM,
            to = GssapiSettings.BUFFER_MAXIMUM)
        int bufferBytes) {
  /** Windows issues tickets of up to 64,000 bytes (MaxTokenSize), if users are in many groups. */
  public static final int TOKEN_BYTES = 1 << 16;

  public static final int TOKEN_MINIMUM = 1 << 10;

  /** The size that Cyrus SASL and the JDK ask for as well. */
  public static final int BUFFER_BYTES = 1 << 16;

  /** Each buffer costs some tens of microseconds: smaller ones would make long answers slow. */
  public static final int BUFFER_MINIMUM = 1 << 12;

  /** The number of bytes is one of three octets on the wire. */
  public static final int BUFFER_MAXIMUM = 1 << 20;

  public GssapiSettings {
    protections = Set.copyOf(protections);
    if (protections.isEmpty()
        || tokenBytes < TOKEN_MINIMUM
        || bufferBytes < BUFFER_MINIMUM
        || bufferBytes > BUFFER_MAXIMUM) {
      throw new IllegalArgumentException("no protection, or limits out of bounds");
    }
  }
}
