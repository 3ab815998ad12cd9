/**
 * The way from a request to the operation that answers it; bind, compare, and the choice of what a
 * search is.
 *
 * <p>Public face: {@link DirectoryOperations}, {@link AccountAdministration} and {@link
 * ExtendedWords}.
 *
 * <p>Imports: {@code core.access}, {@code core.access.decide}, {@code core.access.rule}, {@code
 * core.backend}, {@code core.budget}, {@code core.bytes}, {@code core.control}, {@code
 * core.directory}, {@code core.directory.virtual}, {@code core.dispatch}, {@code core.dn}, {@code
 * core.entry}, {@code core.filter}, {@code core.limits}, {@code core.message}, {@code
 * core.operation.bind}, {@code core.operation.extended}, {@code core.operation.list}, {@code
 * core.operation.password}, {@code core.operation.search}, {@code core.operation.sync}, {@code
 * core.operation.update}, {@code core.operation.values}, {@code core.password}, {@code
 * core.policy}, {@code core.provider}, {@code core.replica}, {@code core.rights}, {@code
 * core.sasl}, {@code core.schema}, {@code core.session}, {@code core.update}.
 */
@NullMarked
package org.nyala.core.operation;

import org.jspecify.annotations.NullMarked;
