/** Benchmarks of what dispatch keeps to itself. */
@NullMarked
package org.nyala.core.dispatch;

import org.jspecify.annotations.NullMarked;
