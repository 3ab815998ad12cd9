/**
 * The dereference control: the entries that values of found entries name, looked up with the rights
 * of the client.
 *
 * <p>Public face: {@link DereferencedAttribute}, the request, and {@link DereferencedValues}.
 *
 * <p>Imports: {@code core.access}, {@code core.access.decide}, {@code core.access.rule}, {@code
 * core.backend}, {@code core.ber}, {@code core.budget}, {@code core.control}, {@code
 * core.directory}, {@code core.dn}, {@code core.entry}, {@code core.filter}, {@code core.limits},
 * {@code core.message}, {@code core.operation.values}, {@code core.rights}, {@code core.schema},
 * {@code core.session}.
 */
@NullMarked
package org.nyala.core.operation.dereference;

import org.jspecify.annotations.NullMarked;
