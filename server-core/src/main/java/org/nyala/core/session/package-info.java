/**
 * The life of connections and operations: order, admission, cancellation.
 *
 * <p>Public face: {@link Session}, {@link Operation} and the interfaces that the wire implements.
 *
 * <p>Imports: {@code core.access}, {@code core.access.decide}, {@code core.access.rule}, {@code
 * core.backend}, {@code core.budget}, {@code core.control}, {@code core.dispatch}, {@code core.dn},
 * {@code core.entry}, {@code core.filter}, {@code core.limits}, {@code core.message}, {@code
 * core.metrics}, {@code core.sasl}, {@code core.update}.
 */
@NullMarked
package org.nyala.core.session;

import org.jspecify.annotations.NullMarked;
