/**
 * Where and when operations run. Hot: dispatching and completing.
 *
 * <p>Priorities, in this order: no task is lost or run twice; no event loop blocks; nothing waits
 * behind a slow head for longer than a slice; no hop and no wake-up without need.
 *
 * <p>A strategy composes the same parts: {@link org.nyala.core.dispatch.LazyPermits} (who is
 * throttled), {@link org.nyala.core.dispatch.Place}s such as {@link org.nyala.core.dispatch.Stripe}
 * (which queue), {@link org.nyala.core.dispatch.Slices} (how a slice runs). A task holds a permit
 * of the place where it is, from its entry until it ends, moves on or awaits its client; work under
 * way overdraws instead of waiting. Three compositions are offered. The others need no other seam:
 *
 * <ul>
 *   <li>{@code single-queue}: one {@code Place} with a shared queue and N threads, entered with
 *       permits that never run out; one event loop.
 *   <li>{@code load-conditioned}: the same place with as many permits as threads, plus laziness.
 *   <li>{@code lightweight}: decode placement {@code WORKER}. The wire wraps a burst of bytes in a
 *       task of class {@code DECODE}, dispatches it and does not read until it has ended; the task
 *       hands its requests to the session on the event loop, which registers and dispatches them to
 *       the shared place.
 *   <li>{@code lightweight-conditioned}: the same with lazy permits; the connection table is the
 *       wire's.
 *   <li>{@code multi-queue}: Q stripes and the choice that {@code adaptive} makes, {@link
 *       org.nyala.core.dispatch.Workers#leastLoaded}, without the slice on the loop.
 *   <li>{@code virtual-threads}: a {@code Place} that starts a virtual thread per task, under
 *       permits; a slice is then as long as the task.
 * </ul>
 */
@NullMarked
package org.nyala.core.dispatch;

import org.jspecify.annotations.NullMarked;
