/**
 * Framing, decoding and encoding of LDAP messages; knows no channel and no session.
 *
 * <p>Public face: {@link RequestDecoder} and {@link EntryEncoder}.
 *
 * <p>Imports: {@code core.ber}, {@code core.bytes}, {@code core.entry}, {@code core.filter}, {@code
 * core.limits}, {@code core.message}.
 */
@NullMarked
package org.nyala.netty.codec;

import org.jspecify.annotations.NullMarked;
