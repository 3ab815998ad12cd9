/**
 * The side of the consumer in a content synchronization (RFC 4533): applies the messages of a
 * provider to a naming context, through the writer like all changes, without rules and as the
 * provider has stamped them.
 *
 * <p>Public face: {@link Replica} and {@link ContextHandover}.
 */
@NullMarked
package org.nyala.core.replica;

import org.jspecify.annotations.NullMarked;
