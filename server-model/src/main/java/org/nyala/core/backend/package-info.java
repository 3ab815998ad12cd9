/**
 * The interface of a store: transactions, cursors, and changes that are resolved. Interfaces and
 * records only.
 *
 * <p>Public face: {@link Backend}, implemented by {@code org.nyala.lmdb}.
 *
 * <p>Imports: {@code core.budget}, {@code core.dn}, {@code core.entry}, {@code core.filter}, {@code
 * core.message}, {@code core.schema}, {@code core.schema.load}.
 */
@NullMarked
package org.nyala.core.backend;

import org.jspecify.annotations.NullMarked;
