/**
 * Add, delete, modify, modify DN, changes of the schema, and transactions (RFC 5805).
 *
 * <p>Public face: {@link UpdateOperation}.
 *
 * <p>Imports: {@code core.access}, {@code core.access.decide}, {@code core.access.rule}, {@code
 * core.backend}, {@code core.ber}, {@code core.budget}, {@code core.bytes}, {@code core.control},
 * {@code core.directory}, {@code core.directory.virtual}, {@code core.dispatch}, {@code core.dn},
 * {@code core.entry}, {@code core.filter}, {@code core.integrity}, {@code core.limits}, {@code
 * core.message}, {@code core.metrics}, {@code core.operation.password}, {@code
 * core.operation.search}, {@code core.operation.values}, {@code core.password}, {@code
 * core.policy}, {@code core.rights}, {@code core.rules}, {@code core.schema}, {@code
 * core.schema.load}, {@code core.session}, {@code core.update}.
 */
@NullMarked
package org.nyala.core.operation.update;

import org.jspecify.annotations.NullMarked;
