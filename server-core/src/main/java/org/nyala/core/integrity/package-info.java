/**
 * Rules that involve more than one entry: uniqueness, referential integrity, memberOf.
 *
 * <p>Public face: {@link ChangeRule}, {@link UniquenessRule} and {@link ReferentialIntegrityRule}.
 */
@NullMarked
package org.nyala.core.integrity;

import org.jspecify.annotations.NullMarked;
