/**
 * The account of memory that everything is taken from which a client makes the server hold.
 *
 * <p>Public face: {@link MemoryBudget} for the whole, {@link MemoryAccount} for a connection.
 *
 * <p>Imports nothing of Nyala.
 */
@NullMarked
package org.nyala.core.budget;

import org.jspecify.annotations.NullMarked;
