/**
 * The account of memory that everything is taken from which a client makes the server hold, and the
 * places of which there is a number.
 *
 * <p>Public face: {@link MemoryBudget} for the whole, {@link MemoryAccount} for a connection,
 * {@link OwnedSlots} for places.
 */
@NullMarked
package org.nyala.core.budget;

import org.jspecify.annotations.NullMarked;
