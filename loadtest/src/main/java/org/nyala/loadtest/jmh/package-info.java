/**
 * The microbenchmarks: what one step of a request costs, in time and in garbage. Each suite names
 * the question that it answers; numbers go to the decision records and to the results.
 */
@NullMarked
package org.nyala.loadtest.jmh;

import org.jspecify.annotations.NullMarked;
