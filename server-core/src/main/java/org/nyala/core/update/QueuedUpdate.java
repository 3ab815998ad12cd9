package org.nyala.core.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.contention.WaitSite;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;

/**
 * An update in the writer's queue and the moment of its arrival there, while waiting times are
 * measured. It is an update itself only so that it fits into the queue.
 *
 * <p>Immutable.
 */
record QueuedUpdate(Update update, long sinceNanos) implements Update {
  /**
   * Returns the object to put into the queue for {@code update}: the update itself unless a
   * measurement runs.
   */
  static Update arriving(Update update, WaitSite site) {
    return site.isMeasured() ? new QueuedUpdate(update, site.nanoTime()) : update;
  }

  /** The update that was taken out of the queue as {@code queued}. */
  static Update leaving(Update queued, WaitSite site) {
    if (queued instanceof QueuedUpdate(Update update, long sinceNanos)) {
      site.waited(sinceNanos);
      return update;
    }
    return queued;
  }

  @Override
  public boolean isWanted() {
    return update.isWanted();
  }

  @Override
  public boolean isComposite() {
    return update.isComposite();
  }

  @Override
  public boolean isAlone() {
    return update.isAlone();
  }

  @Override
  public @Nullable MemoryAccount memory() {
    return update.memory();
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    return update.apply(context);
  }

  @Override
  public void answer(LdapResult result) {
    update.answer(result);
  }
}
