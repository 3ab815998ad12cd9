/** Benchmarks of the evaluation of access rules. */
@NullMarked
package org.nyala.core.access.decide;

import org.jspecify.annotations.NullMarked;
