/** One half of a deliberate cycle between two packages. */
@NullMarked
package org.nyala.circle.one;

import org.jspecify.annotations.NullMarked;
