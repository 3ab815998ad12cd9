/**
 * Encryption of connections: certificates and keys from files, engines, and the handlers that
 * encrypt.
 *
 * <p>Public face: {@link TlsPort}.
 *
 * <p>Imports: {@code core.ber}, {@code core.budget}, {@code core.metrics}, {@code core.session},
 * {@code netty.accept}.
 */
@NullMarked
package org.nyala.netty.tls;

import org.jspecify.annotations.NullMarked;
