/**
 * JMH suites. Of the load tester, only this package, the one of the caching store, and the
 * benchmarks beside the classes that they measure use the server.
 *
 * <p>Public face: {@link JmhCommand}.
 */
@NullMarked
package org.nyala.loadtest.jmh;

import org.jspecify.annotations.NullMarked;
