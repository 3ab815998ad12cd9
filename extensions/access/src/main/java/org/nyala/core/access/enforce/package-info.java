/**
 * Access rules in force, including those held by entries, and the groups of clients.
 *
 * <p>Public face: {@link RulesService}; what it returns implements {@code core.rights}.
 */
@NullMarked
package org.nyala.core.access.enforce;

import org.jspecify.annotations.NullMarked;
