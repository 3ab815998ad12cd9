/**
 * State and services that operations share: naming contexts, caches, entries that are computed,
 * expiry.
 *
 * <p>Public face: {@link OperationContext}.
 *
 * <p>Imports: {@code core.access}, {@code core.access.decide}, {@code core.access.rule}, {@code
 * core.backend}, {@code core.ber}, {@code core.budget}, {@code core.bytes}, {@code
 * core.contention}, {@code core.control}, {@code core.directory.virtual}, {@code core.dispatch},
 * {@code core.dn}, {@code core.entry}, {@code core.filter}, {@code core.integrity}, {@code
 * core.limits}, {@code core.message}, {@code core.password}, {@code core.policy}, {@code
 * core.provider}, {@code core.rights}, {@code core.rules}, {@code core.sasl}, {@code core.schema},
 * {@code core.schema.load}, {@code core.session}, {@code core.update}.
 */
@NullMarked
package org.nyala.core.directory;

import org.jspecify.annotations.NullMarked;
