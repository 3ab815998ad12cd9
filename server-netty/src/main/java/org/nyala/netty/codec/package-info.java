/**
 * Framing, decoding and encoding of LDAP messages; knows no channel and no session.
 *
 * <p>Public face: {@link RequestDecoder} and {@link EntryEncoder}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.netty.codec;

import org.jspecify.annotations.NullMarked;
