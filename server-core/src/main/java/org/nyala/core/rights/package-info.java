/**
 * The rights of clients to entries, as operations ask for them; a directory gets what decides as
 * its {@link RightsService}.
 *
 * <p>Public face: {@link RightsService}, {@link AccessControl}, {@link ClientRules}, {@link
 * EntryRights} and {@link Profile}. Each has one implementing class, so that calls are inlined.
 */
@NullMarked
package org.nyala.core.rights;

import org.jspecify.annotations.NullMarked;
