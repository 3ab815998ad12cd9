/**
 * Encryption of connections: certificates and keys from files, engines, and the handlers that
 * encrypt.
 *
 * <p>Public face: {@link TlsPort}, and {@link PartialInput} for input that only whole parts of can
 * be read.
 */
@NullMarked
package org.nyala.netty.tls;

import org.jspecify.annotations.NullMarked;
