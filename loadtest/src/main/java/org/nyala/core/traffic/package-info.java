/** Benchmarks of what the table of searches keeps to itself. */
@NullMarked
package org.nyala.core.traffic;

import org.jspecify.annotations.NullMarked;
