/**
 * JMH suites. The only package of the load tester, with the benchmarks beside the classes that they
 * measure, that uses the server.
 *
 * <p>Public face: {@link JmhCommand}.
 */
@NullMarked
package org.nyala.loadtest.jmh;

import org.jspecify.annotations.NullMarked;
