/**
 * The life of connections and operations: order, admission, cancellation.
 *
 * <p>Public face: {@link Session}, {@link Operation}, {@link Sequence} and the interfaces that the
 * wire implements.
 */
@NullMarked
package org.nyala.core.session;

import org.jspecify.annotations.NullMarked;
