/**
 * Add, delete, modify, modify DN, changes of the schema, and transactions (RFC 5805).
 *
 * <p>Public face: {@link UpdateOperation}, {@link ModifyOperation} and {@link Requester}.
 */
@NullMarked
package org.nyala.core.operation.update;

import org.jspecify.annotations.NullMarked;
