package org.nyala.core.session;

import org.nyala.core.access.BoundIdentity;

/**
 * What a session has done and does, seen from outside at about one moment.
 *
 * <p>Immutable.
 *
 * @param identity whom it speaks for
 * @param received requests that were carried out or are
 * @param executing operations that have begun and not ended
 * @param pending requests that wait for that
 * @param completed operations that have ended
 * @param activityNanos when the last request came, on the clock that times operations
 */
public record SessionStatus(
    BoundIdentity identity,
    long received,
    int executing,
    int pending,
    long completed,
    long activityNanos) {}
