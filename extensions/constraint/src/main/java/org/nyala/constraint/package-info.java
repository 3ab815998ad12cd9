/**
 * Value constraints: regular expressions, lengths, numbers of values and lists of allowed values
 * for attributes, as slapd's overlay {@code constraint} has them.
 *
 * <p>Public face: {@link org.nyala.constraint.ConstraintSource} and {@link
 * org.nyala.constraint.ConstraintRule}.
 */
@NullMarked
package org.nyala.constraint;

import org.jspecify.annotations.NullMarked;
