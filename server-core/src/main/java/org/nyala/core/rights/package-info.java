/**
 * The rights of clients to entries: the access rules in force, including those held by entries, and
 * the groups of clients.
 *
 * <p>Public face: {@link AccessControl} and {@link EntryRights}.
 */
@NullMarked
package org.nyala.core.rights;

import org.jspecify.annotations.NullMarked;
