package org.nyala.dynamic;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.directory.ContextRef;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.integrity.References;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.update.CommittedChange;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.core.update.OperationalAttributes.Stamp;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * Deletes the dynamic entries of a store once they have expired, through its writer like any
 * update.
 *
 * <p>Thread-safe.
 */
final class EntryExpiry {
  /*
   * The queue determines when to check an entry; the state of the store at the time of the check
   * decides whether it is deleted. The queue is filled from the store once, and follows the
   * commits. A commit that comes between a check and its consequences takes precedence: hence
   * ExpiryQueue.replace.
   */
  private static final System.Logger LOG = System.getLogger(EntryExpiry.class.getName());

  /**
   * The number of entries that one update checks: other updates are to get their turns in between.
   */
  private static final int ENTRIES_PER_TURN = 256;

  /** The maximum time before an expired entry with subordinates is checked again. */
  private static final int LONGEST_WAIT_SECONDS = 3600;

  /** The minimum time before a refused delete is tried again. */
  private static final int RETRY_SECONDS = 60;

  private final DynamicEntries entries;
  private final Backend backend;
  private final ContextRef current;
  private final DynamicSettings settings;
  private final ExpiryQueue queue = new ExpiryQueue();
  private final AtomicBoolean isRunning = new AtomicBoolean();

  EntryExpiry(
      DynamicEntries entries, Backend backend, ContextRef current, DynamicSettings settings) {
    this.entries = entries;
    this.backend = backend;
    this.current = current;
    this.settings = settings;
  }

  /** Takes the dynamic entries that there are; before anything changes. */
  void load() {
    OperationContext directory = current.get();
    LifetimeRules dynamic = entries.rules(directory);
    try (ReadTransaction transaction = backend.beginRead()) {
      new References(transaction, directory.schema(), 1, Pace.UNBOUNDED)
          .visit(
              dynamic.test(),
              0,
              entry -> {
                long second = dynamic.expirySecond(entry, transaction.attributes());
                queue.put(entry.id(), second);
                return true;
              });
    }
  }

  /** Returns whether there may be one more, in the transaction of an update whose turn it is. */
  boolean hasRoom(UpdateContext context) {
    int count = queue.size();
    List<CommittedChange> applied = context.applied();
    if (count + applied.size() < settings.entries()) {
      return true;
    }
    for (CommittedChange each : applied) {
      boolean isQueued = queue.atSecond(each.entryId()) != ExpiryQueue.ABSENT;
      if (each.change() instanceof ResolvedChange.Delete) {
        count -= isQueued ? 1 : 0;
      } else if (each.change() instanceof ResolvedChange.Add) {
        count += LifetimeRules.expirySecond(each.change()) == LifetimeRules.NO_EXPIRY ? 0 : 1;
      }
    }
    return count < settings.entries();
  }

  /** Follows a commit. */
  void committed(CommittedChange committed) {
    long second = LifetimeRules.expirySecond(committed.change());
    if (committed.change() instanceof ResolvedChange.Delete) {
      queue.remove(committed.entryId());
    } else if (second != LifetimeRules.NO_EXPIRY) {
      queue.put(committed.entryId(), second);
    }
  }

  /** Begins to delete expired entries, if there are any; never blocks. */
  void expire() {
    if (isAnyDue() && isRunning.compareAndSet(false, true)) {
      submit();
    }
  }

  private boolean isAnyDue() {
    return queue.nextSecond() <= entries.rules(current.get()).nowSecond();
  }

  private void submit() {
    try {
      current.get().runtime().writers().submit(backend, new Turn());
    } catch (LdapOperationException e) {
      // Too many updates wait, or the server stops: the entries stay until the next time.
      LOG.log(
          System.Logger.Level.DEBUG, "expired entries are not deleted yet: {0}", e.getMessage());
      isRunning.set(false);
    }
  }

  /** The time at which to check an entry again; {@link ExpiryQueue#ABSENT} for never. */
  private record Later(long entryId, long expectedSecond, long atSecond) {}

  /** A look at some entries that are due. */
  private final class Turn implements Update {
    private final List<Later> later = new ArrayList<>();
    private String refusal = "";
    private long nowSecond;

    @Override
    public LdapResult apply(UpdateContext context) {
      later.clear();
      refusal = "";
      OperationContext directory = current.get();
      nowSecond = entries.rules(directory).nowSecond();
      for (ExpiryQueue.Due due : queue.due(nowSecond, ENTRIES_PER_TURN)) {
        long parent = look(directory, context, due.entryId(), due.atSecond());
        // An entry that has waited for this one goes with it.
        while (parent != ReadTransaction.NO_ENTRY) {
          long atSecond = queue.atSecond(parent);
          parent =
              atSecond == ExpiryQueue.ABSENT
                  ? ReadTransaction.NO_ENTRY
                  : look(directory, context, parent, atSecond);
        }
      }
      return LdapResult.SUCCESS;
    }

    /** Checks an entry; returns its parent's entry id if it was deleted. */
    private long look(
        OperationContext directory, UpdateContext context, long id, long queuedSecond) {
      WriteTransaction transaction = context.transaction();
      OperationScratch scratch = directory.scratch();
      EntryView view = scratch.view;
      if (!transaction.read(id, view)) {
        later.add(new Later(id, queuedSecond, ExpiryQueue.ABSENT));
        return ReadTransaction.NO_ENTRY;
      }
      if (isOfAnother(directory, view)) {
        // It may become ours.
        later.add(new Later(id, queuedSecond, nowSecond + retrySeconds()));
        return ReadTransaction.NO_ENTRY;
      }
      LifetimeRules dynamic = entries.rules(directory);
      long second = dynamic.expirySecond(view, transaction.attributes());
      if (second == LifetimeRules.NO_EXPIRY) {
        if (dynamic.isDynamic(scratch, view, transaction.attributes())) {
          adopt(directory, context, id);
        } else {
          later.add(new Later(id, queuedSecond, ExpiryQueue.ABSENT));
        }
      } else if (second > nowSecond) {
        later.add(new Later(id, queuedSecond, second));
      } else if (transaction.hasSubordinates(id)) {
        later.add(new Later(id, queuedSecond, nextLook(directory, transaction, id)));
      } else {
        return delete(directory, context, id, queuedSecond);
      }
      return ReadTransaction.NO_ENTRY;
    }

    /** Returns whether another server deletes the entry when it has expired. */
    private static boolean isOfAnother(OperationContext directory, EntryView view) {
      ConsumedContexts consumed = directory.updating().consumed();
      return !consumed.isEmpty() && consumed.holds(name(directory, view));
    }

    /** An imported entry without an end lives as long as a new one. */
    private void adopt(OperationContext directory, UpdateContext context, long id) {
      Dn name = name(directory, directory.scratch().view);
      Stamp stamp = Stamp.next(context, writer(directory).dn());
      AttributeChange living = entries.rules(directory).living(settings.defaultTtlSeconds());
      List<AttributeChange> changes =
          directory.updating().operational().stamped(List.of(living), stamp);
      try {
        context.apply(new ResolvedChange.Modify(name, id, changes), cause(directory));
      } catch (LdapOperationException e) {
        postpone(id, queue.atSecond(id), e);
      }
    }

    private long delete(
        OperationContext directory, UpdateContext context, long id, long queuedSecond) {
      EntryView view = directory.scratch().view;
      long parent = view.parentId();
      Dn name = name(directory, view);
      context.nextCsn();
      try {
        context.apply(new ResolvedChange.Delete(name, id), cause(directory));
        return parent;
      } catch (LdapOperationException e) {
        postpone(id, queuedSecond, e);
        return ReadTransaction.NO_ENTRY;
      }
    }

    private void postpone(long id, long queuedSecond, LdapOperationException reason) {
      later.add(new Later(id, queuedSecond, nowSecond + retrySeconds()));
      refusal = "entry " + id + ": " + reason.getMessage();
    }

    private int retrySeconds() {
      return Math.max(settings.checkIntervalSeconds(), RETRY_SECONDS);
    }

    /*
     * An entry outlives those below it: there is no need to check it before one of them may be
     * gone.
     */
    private long nextLook(OperationContext directory, WriteTransaction transaction, long id) {
      SearchSpec children =
          new SearchSpec(id, Scope.ONE_LEVEL, CompiledFilter.Constant.TRUE, false, false);
      EntryView view = directory.scratch().other;
      long childSecond = LifetimeRules.NO_EXPIRY;
      try (EntryCursor cursor = transaction.search(children, ReadTransaction.NO_ENTRY)) {
        EntryCursor.Step step;
        do {
          step = cursor.next(view, Integer.MAX_VALUE);
        } while (step == EntryCursor.Step.LIMIT);
        if (step == EntryCursor.Step.ENTRY) {
          childSecond = entries.rules(directory).expirySecond(view, transaction.attributes());
        }
      }
      long latest = nowSecond + LONGEST_WAIT_SECONDS;
      long earliest = Math.min(nowSecond + settings.checkIntervalSeconds(), latest);
      return childSecond == LifetimeRules.NO_EXPIRY
          ? latest
          : Math.clamp(childSecond, earliest, latest);
    }

    private static Dn name(OperationContext directory, EntryView view) {
      return DnParser.parseStored(directory.schema(), view.dn());
    }

    /** Returns the identity of internal changes, which run as root. */
    private static BoundIdentity writer(OperationContext directory) {
      return new BoundIdentity(directory.roots().ofAll().orElse(Dn.EMPTY), true);
    }

    private static ChangeCause cause(OperationContext directory) {
      return ChangeCause.of(writer(directory), false, false);
    }

    @Override
    public void answer(LdapResult result) {
      if (result.code() != ResultCode.SUCCESS) {
        isRunning.set(false);
        return;
      }
      for (Later each : later) {
        queue.replace(each.entryId(), each.expectedSecond(), each.atSecond());
      }
      if (!refusal.isEmpty()) {
        LOG.log(System.Logger.Level.WARNING, "an expired entry cannot be deleted: {0}", refusal);
      }
      if (isAnyDue()) {
        submit();
      } else {
        isRunning.set(false);
      }
    }
  }
}
