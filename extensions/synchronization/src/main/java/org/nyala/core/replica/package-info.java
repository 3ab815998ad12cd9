/**
 * The consumer of content synchronization (RFC 4533): applies the messages of a provider through
 * the writer, without rules and with the provider's stamps.
 *
 * <p>Public face: {@link Replica} and {@link ContextHandover}.
 */
@NullMarked
package org.nyala.core.replica;

import org.jspecify.annotations.NullMarked;
