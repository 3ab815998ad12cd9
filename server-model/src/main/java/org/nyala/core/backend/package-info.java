/**
 * The interface of a store: transactions, cursors, resolved changes. Interfaces and records only.
 *
 * <p>Public face: {@link Backend}, implemented by {@code org.nyala.lmdb}.
 */
@NullMarked
package org.nyala.core.backend;

import org.jspecify.annotations.NullMarked;
