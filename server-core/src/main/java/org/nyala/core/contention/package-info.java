/**
 * Counts of waits for locks, queues and permits, by the place that waits.
 *
 * <p>Public face: {@link Contention} lists the sites.
 *
 * <p>Imports nothing of Nyala.
 */
@NullMarked
package org.nyala.core.contention;

import org.jspecify.annotations.NullMarked;
