/** A half of a circle between two packages, put in by hand. */
@NullMarked
package org.nyala.circle.two;

import org.jspecify.annotations.NullMarked;
