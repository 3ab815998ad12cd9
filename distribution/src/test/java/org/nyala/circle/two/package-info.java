/** One half of a deliberate cycle between two packages. */
@NullMarked
package org.nyala.circle.two;

import org.jspecify.annotations.NullMarked;
