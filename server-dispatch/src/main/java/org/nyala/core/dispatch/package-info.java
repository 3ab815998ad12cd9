/**
 * Dispatch strategies, which decide on which thread and when operations run. Hot: dispatching and
 * completing.
 *
 * <p>Public face: {@link DispatchStrategies}, {@link DispatchStrategy} and {@link Task}.
 *
 * <p>Priorities, in this order: no task is lost or run twice; no event loop blocks; nothing waits
 * behind a slow head for longer than a slice; no hop and no wake-up without need.
 *
 * <p>A strategy answers three questions: who decodes, which queue, who is throttled. {@link
 * org.nyala.core.dispatch.DispatchStrategies} has the nine by name; they are composed of
 *
 * <ul>
 *   <li>{@link org.nyala.core.dispatch.WorkQueue}s, where tasks queue up and run: {@link
 *       org.nyala.core.dispatch.Stripe} (one thread, a queue of its own without locks), {@link
 *       org.nyala.core.dispatch.WorkerPool} (threads that share a queue under a lock, as in slapd),
 *       {@link org.nyala.core.dispatch.VirtualThreads} (a thread for each task);
 *   <li>{@link org.nyala.core.dispatch.LazyPermits}, of which each queue has some or an unlimited
 *       number: a task holds a permit of the queue that it is in, from its entry until it ends,
 *       moves on or awaits its client, and work under way overdraws instead of waiting;
 *   <li>{@link org.nyala.core.dispatch.OwnerQuotas}, which bound the permits of a queue that one
 *       owner of tasks holds, and {@link org.nyala.core.dispatch.FairQueue}, in which owners take
 *       turns if tasks take more than a slice;
 *   <li>a choice among several queues ({@link org.nyala.core.dispatch.Workers}): that of the
 *       connection, or the least loaded one. Slow hashes go to a pool of their own in every
 *       strategy with threads.
 * </ul>
 *
 * <p>Three classes make strategies of these: {@link org.nyala.core.dispatch.WorkerDispatch}, which
 * runs everything in queues, {@link org.nyala.core.dispatch.RunToCompletionDispatch}, which has
 * none, and {@link org.nyala.core.dispatch.AdaptiveDispatch}, which runs short operations on the
 * event loop.
 *
 * <table>
 *   <caption>The compositions</caption>
 *   <tr><th>name</th><th>decodes</th><th>places</th><th>permits</th></tr>
 *   <tr><td>single-queue</td><td>loop</td><td>a pool</td><td>unthrottled</td></tr>
 *   <tr><td>load-conditioned</td><td>loop</td><td>a pool</td><td>threads + laziness</td></tr>
 *   <tr><td>lightweight</td><td>worker</td><td>a pool</td><td>unthrottled</td></tr>
 *   <tr><td>lightweight-conditioned</td><td>worker</td><td>a pool</td><td>threads + laziness
 *       </td></tr>
 *   <tr><td>multi-queue</td><td>loop</td><td>least loaded of some pools</td><td>unthrottled
 *       </td></tr>
 *   <tr><td>striped</td><td>loop</td><td>the connection's of some stripes</td><td>per stripe
 *       </td></tr>
 *   <tr><td>virtual-threads</td><td>loop</td><td>virtual threads</td><td>yes</td></tr>
 *   <tr><td>run-to-completion</td><td>loop</td><td>none</td><td>none</td></tr>
 *   <tr><td>adaptive</td><td>loop</td><td>the loop, then the least loaded of some stripes, or, for
 *       connections that wait for it, a pool for the disk</td><td>per stripe, and for the pool</td></tr>
 * </table>
 *
 * <p>If a worker decodes, the wire dispatches the burst as a task of class {@code DECODE} and lends
 * the worker the session: the task decodes, starts the operations, submits all but the first as
 * work under way, returns the session, and continues as the first operation.
 */
@NullMarked
package org.nyala.core.dispatch;

import org.jspecify.annotations.NullMarked;
