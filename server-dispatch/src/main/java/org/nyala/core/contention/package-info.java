/**
 * Waiting: how threads park and join, and counts of waits for locks, queues and permits, by place.
 *
 * <p>Public face: {@link Contention} lists the sites; {@link Parker} and {@link Threads} wait.
 */
@NullMarked
package org.nyala.core.contention;

import org.jspecify.annotations.NullMarked;
