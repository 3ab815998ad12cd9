package org.nyala.netty.tls;

import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a handshake.
 *
 * <p>Immutable.
 *
 * @param strengthBits the bits of the cipher's key
 * @param certificate the verified certificate of the client; null if it has shown none
 */
public record TlsPeer(int strengthBits, @Nullable X509Certificate certificate) {}
