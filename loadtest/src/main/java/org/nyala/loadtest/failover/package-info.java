/**
 * Failover: what servers lose, and how long nobody answers, when one of them fails under load.
 *
 * <p>Public face: {@link FailoverCommand} and {@link LagCommand}.
 */
@NullMarked
package org.nyala.loadtest.failover;

import org.jspecify.annotations.NullMarked;
