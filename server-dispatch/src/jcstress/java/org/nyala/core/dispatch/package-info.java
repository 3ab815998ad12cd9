/** Races of the dispatch package's lock-free parts, for JCStress. */
@NullMarked
package org.nyala.core.dispatch;

import org.jspecify.annotations.NullMarked;
