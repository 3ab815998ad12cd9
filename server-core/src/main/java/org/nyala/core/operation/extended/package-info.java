/**
 * Extended operations, Who am I to Password Modify.
 *
 * <p>Public face: {@link ExtendedOperation}, the registry.
 *
 * <p>Imports: {@code core.access}, {@code core.access.decide}, {@code core.access.rule}, {@code
 * core.backend}, {@code core.ber}, {@code core.budget}, {@code core.control}, {@code
 * core.directory}, {@code core.dispatch}, {@code core.dn}, {@code core.entry}, {@code
 * core.message}, {@code core.metrics}, {@code core.operation.password}, {@code
 * core.operation.update}, {@code core.password}, {@code core.policy}, {@code core.provider}, {@code
 * core.rights}, {@code core.schema}, {@code core.session}, {@code core.update}.
 */
@NullMarked
package org.nyala.core.operation.extended;

import org.jspecify.annotations.NullMarked;
