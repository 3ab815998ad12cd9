/**
 * Where operations get into each other's way: counters at the locks and queues of the server, which
 * are switched on for a measurement and off again.
 *
 * <p>Priorities, in this order: nothing is paid on ways without locks and queues; next to nothing
 * while nobody measures, one read of a field beside a lock or a queue; counts are exact while
 * somebody does.
 *
 * <p>{@link org.nyala.core.contention.Contention} has the switch and hands out the sites: {@link
 * org.nyala.core.contention.LockSite} is a lock, {@link org.nyala.core.contention.WaitSite} stands
 * beside a queue. The model is mutrace's table of mutexes and condition variables.
 */
@NullMarked
package org.nyala.core.contention;

import org.jspecify.annotations.NullMarked;
