/**
 * Binds: simple ones, and those of SASL, whose names of users are mapped to entries.
 *
 * <p>Public face: {@link BindOperation} and {@link SaslOffer}.
 *
 * <p>Imports: {@code core.access}, {@code core.access.decide}, {@code core.access.rule}, {@code
 * core.backend}, {@code core.budget}, {@code core.control}, {@code core.directory}, {@code
 * core.directory.virtual}, {@code core.dispatch}, {@code core.dn}, {@code core.entry}, {@code
 * core.filter}, {@code core.limits}, {@code core.message}, {@code core.metrics}, {@code
 * core.operation.extended}, {@code core.operation.password}, {@code core.operation.search}, {@code
 * core.operation.update}, {@code core.password}, {@code core.policy}, {@code core.rights}, {@code
 * core.sasl}, {@code core.session}.
 */
@NullMarked
package org.nyala.core.operation.bind;

import org.jspecify.annotations.NullMarked;
