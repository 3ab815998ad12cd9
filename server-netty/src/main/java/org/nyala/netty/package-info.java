/**
 * Listeners, connections, back-pressure.
 *
 * <p>Public face: {@link NettyLdapServer}.
 *
 * <p>Imports: {@code core}, {@code core.access}, {@code core.budget}, {@code core.contention},
 * {@code core.dispatch}, {@code core.entry}, {@code core.filter}, {@code core.limits}, {@code
 * core.message}, {@code core.metrics}, {@code core.sasl}, {@code core.session}, {@code
 * netty.accept}, {@code netty.codec}, {@code netty.tls}.
 */
@NullMarked
package org.nyala.netty;

import org.jspecify.annotations.NullMarked;
