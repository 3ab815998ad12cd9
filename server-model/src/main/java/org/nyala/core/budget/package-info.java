/**
 * The account of all memory that clients make the server hold, and of places that are limited in
 * number.
 *
 * <p>Public face: {@link MemoryBudget} for the whole, {@link MemoryAccount} for a connection,
 * {@link OwnedSlots} for places.
 */
@NullMarked
package org.nyala.core.budget;

import org.jspecify.annotations.NullMarked;
