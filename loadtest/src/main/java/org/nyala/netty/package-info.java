/** Benchmarks of what the wire keeps to itself. */
@NullMarked
package org.nyala.netty;

import org.jspecify.annotations.NullMarked;
