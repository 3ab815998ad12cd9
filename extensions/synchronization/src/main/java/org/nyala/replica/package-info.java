/**
 * The client of a content synchronization (RFC 4533): connects to a provider, hands its messages to
 * the copy, and reconnects.
 *
 * <p>Public face: {@link ReplicaRunner}, {@link ContextSwitch} and {@link ProviderConnection}.
 */
@NullMarked
package org.nyala.replica;

import org.jspecify.annotations.NullMarked;
