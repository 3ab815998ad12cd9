/** Races of the contention package's lock-free parts, for JCStress. */
@NullMarked
package org.nyala.core.contention;

import org.jspecify.annotations.NullMarked;
