package org.nyala.netty.tls;

import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a handshake.
 *
 * <p>Immutable; the arrays are not written to.
 *
 * @param protocol the version of the protocol, such as {@code TLSv1.3}
 * @param cipher the cipher suite, such as {@code TLS_AES_256_GCM_SHA384}
 * @param strengthBits the bits of the cipher's key
 * @param endPoint the data that bind an exchange to the server's certificate; empty if there are
 *     none
 * @param exporter the data that bind an exchange to this very connection; empty if there are none
 * @param certificate the verified certificate of the client; null if it has shown none
 */
public record TlsPeer(
    String protocol,
    String cipher,
    int strengthBits,
    byte[] endPoint,
    byte[] exporter,
    @Nullable X509Certificate certificate) {}
