/**
 * Rules over more than one entry: uniqueness, referential integrity, memberOf.
 *
 * <p>Public face: {@link Integrity}.
 */
@NullMarked
package org.nyala.core.integrity;

import org.jspecify.annotations.NullMarked;
