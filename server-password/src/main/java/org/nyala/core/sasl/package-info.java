/**
 * SASL (RFC 4422): mechanisms and messages, the server's side of SCRAM and GSSAPI with security
 * layers, and the mapping of user names to entry names. Knows no connection and no entry.
 *
 * <p>Public face: {@link SaslSettings}, {@link SaslMechanism}, {@link ScramExchange}, {@link
 * GssapiAcceptor}, {@link KerberosProperties} and {@link SecurityLayer}.
 */
@NullMarked
package org.nyala.core.sasl;

import org.jspecify.annotations.NullMarked;
