/**
 * JMH suites. Of the load tester, only this package, the one of the caching store, and the
 * benchmarks beside the classes that they measure use the server.
 *
 * <p>Public face: {@link JmhCommand}.
 *
 * <p>Imports: {@code core}, {@code core.access}, {@code core.backend}, {@code core.directory},
 * {@code core.dispatch}, {@code core.dn}, {@code core.entry}, {@code core.limits}, {@code
 * core.operation}, {@code core.password}, {@code core.schema}, {@code core.schema.load}, {@code
 * core.session}, {@code lmdb}, {@code lmdb.env}, {@code lmdb.format}, {@code loadtest.engine},
 * {@code loadtest.format}, {@code loadtest.ldap}, {@code loadtest.result}, {@code
 * loadtest.workload}, {@code netty}.
 */
@NullMarked
package org.nyala.loadtest.jmh;

import org.jspecify.annotations.NullMarked;
