package org.nyala.core.update;

import org.nyala.core.contention.WaitSite;

/**
 * An update in the writer's queue and the moment of its arrival there. Only while waiting times are
 * measured are updates queued so; otherwise the queue has the updates themselves.
 *
 * <p>Immutable.
 */
record QueuedUpdate(Update update, long sinceNanos) {
  /** Returns the object to put into the queue for an update. */
  static Object arriving(Update update, WaitSite site) {
    return site.isMeasured() ? new QueuedUpdate(update, site.nanoTime()) : update;
  }

  /** Returns the update that was taken out of the queue, and notes how long it waited. */
  static Update leaving(Object queued, WaitSite site) {
    if (queued instanceof QueuedUpdate measured) {
      site.waited(measured.sinceNanos);
    }
    return update(queued);
  }

  /** Returns the update that was taken out of the queue. */
  static Update update(Object queued) {
    return queued instanceof QueuedUpdate measured ? measured.update : (Update) queued;
  }
}
