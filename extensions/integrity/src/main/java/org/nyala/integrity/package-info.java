/**
 * Rules that involve more than one entry: unique values, and values that follow the entries that
 * they name.
 *
 * <p>Public face: {@link UniquenessRule} and {@link ReferentialIntegrityRule}.
 */
@NullMarked
package org.nyala.integrity;

import org.jspecify.annotations.NullMarked;
