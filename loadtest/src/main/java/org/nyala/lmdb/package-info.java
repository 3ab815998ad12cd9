/** Benchmarks of what the store keeps to itself. */
@NullMarked
package org.nyala.lmdb;

import org.jspecify.annotations.NullMarked;
