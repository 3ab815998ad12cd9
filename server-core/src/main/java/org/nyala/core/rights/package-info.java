/**
 * The rights of clients to entries by access rules: the rules in force, the groups that clients are
 * in, the rights of the client of one operation, and the rules that the directory itself holds.
 *
 * <p>Public face: {@link AccessControl} and {@link EntryRights}.
 */
@NullMarked
package org.nyala.core.rights;

import org.jspecify.annotations.NullMarked;
