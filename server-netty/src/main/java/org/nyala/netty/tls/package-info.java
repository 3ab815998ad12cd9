/**
 * Encryption of connections: certificates and keys from files, engines and handlers.
 *
 * <p>Public face: {@link TlsPort}, and {@link PartialInput} for input that can be read in whole
 * parts only.
 */
@NullMarked
package org.nyala.netty.tls;

import org.jspecify.annotations.NullMarked;
