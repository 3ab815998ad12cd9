/**
 * The rights of clients to entries by access rules: the rules in force, the groups that clients are
 * in, the rights of the client of one operation, and the rules that the directory itself holds.
 *
 * <p>Public face: {@link AccessControl} and {@link EntryRights}.
 *
 * <p>Imports: {@code core.access}, {@code core.access.decide}, {@code core.access.rule}, {@code
 * core.backend}, {@code core.budget}, {@code core.dn}, {@code core.entry}, {@code core.filter},
 * {@code core.integrity}, {@code core.message}, {@code core.password}, {@code core.provider},
 * {@code core.schema}, {@code core.session}, {@code core.update}.
 */
@NullMarked
package org.nyala.core.rights;

import org.jspecify.annotations.NullMarked;
