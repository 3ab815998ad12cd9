/**
 * SASL (RFC 4422): mechanisms, their messages, the server's side of SCRAM and of GSSAPI with its
 * layers, and the rules that map names of users to names of entries. Knows no connection and no
 * entry.
 *
 * <p>Public face: {@link SaslSettings}, {@link SaslMechanism}, {@link ScramExchange}, {@link
 * GssapiAcceptor}, {@link KerberosProperties} and {@link SecurityLayer}.
 */
@NullMarked
package org.nyala.core.sasl;

import org.jspecify.annotations.NullMarked;
