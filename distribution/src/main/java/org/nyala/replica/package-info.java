/**
 * The client of a content synchronization (RFC 4533): connects to a provider, passes its messages
 * on to the copy, and begins again when it has to.
 *
 * <p>Public face: {@link ReplicaRunner}, {@link ContextSwitch} and {@link ProviderConnection}.
 */
@NullMarked
package org.nyala.replica;

import org.jspecify.annotations.NullMarked;
