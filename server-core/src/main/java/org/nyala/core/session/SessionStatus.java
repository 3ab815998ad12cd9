package org.nyala.core.session;

import org.nyala.core.access.BoundIdentity;

/**
 * The past and present activity of a session, as seen by another thread at about one moment.
 *
 * <p>Immutable.
 *
 * @param identity its identity
 * @param received requests that were carried out or are in progress
 * @param executing operations that have begun and not ended
 * @param pending requests that wait for that
 * @param completed operations that have ended
 * @param activityNanos the arrival time of the last request, on the clock that times operations
 */
public record SessionStatus(
    BoundIdentity identity,
    long received,
    int executing,
    int pending,
    long completed,
    long activityNanos) {}
