/**
 * The benchmarks that need no server: what one step of a request costs, and the dispatch strategies
 * under synthetic load. Each suite names the question that it answers; numbers go to the decision
 * records and to the results.
 */
@NullMarked
package org.nyala.loadtest.jmh;

import org.jspecify.annotations.NullMarked;
