package org.nyala.core.operation.search;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchProgress;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.control.SubentryVisibility;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.session.Operation;
import org.nyala.core.session.ResponseSink;
import org.nyala.extension.EntryControls;

/**
 * The walk of a search over the entries in scope, slice by slice; between slices the last entry id
 * is kept, and the store's intermediate results.
 *
 * <p>Confined to one running operation. Hot.
 */
public final class SearchWalk implements StoreStage {
  /** Flags of entries that are more than entries. */
  private static final int SPECIAL =
      EntryRecord.REFERRAL | EntryRecord.ALIAS | EntryRecord.SUBENTRY;

  /**
   * Takes the entries that a walk finds, when they do not go to the client at once. Confined to one
   * running operation.
   */
  public interface EntryCollector {
    /** Takes an entry that matches; false if the walk is to end. */
    boolean add(ReadTransaction transaction, EntryView entry) throws LdapOperationException;

    /** Takes a referral object; false if the walk is to end. */
    boolean addReference(EntryView entry);

    /** Returns the cost of the entry added last, in tests of a filter. */
    long tests();
  }

  /** The continuation of a search after the walk over the entries that are there. */
  public interface AfterWalk {
    /** Notes an entry that the walk has sent, which a later change may show again. */
    void sent(SeenEntries seen, ReadTransaction transaction, EntryView view);

    /** Begins; from the next slice on. */
    void begin();
  }

  private final SearchPlan plan;
  private final WalkAllowance allowance;
  private final @Nullable AliasScopes aliases;
  private @Nullable EntryCollector collector;
  private @Nullable SearchEnding ending;
  private @Nullable AfterWalk follower;
  private final boolean showsSubentriesOnly;
  private Backend backend;
  private SearchSpec spec;
  private @Nullable SearchProgress progress;
  private long position;
  private long sent;
  private long pageEnd = Long.MAX_VALUE;
  private boolean stopped;
  private boolean begun;
  private boolean resumed;

  /** True if the slice at hand has had candidates that no index has chosen. */
  private boolean isScan;

  /** The entry that has passed the test and whose values take more slices to send. */
  private long sending = ReadTransaction.NO_ENTRY;

  public SearchWalk(SearchPlan plan, Backend backend, long baseId) {
    this.plan = plan;
    this.allowance = new WalkAllowance(plan);
    this.showsSubentriesOnly = plan.controls().subentries() == SubentryVisibility.ALONE;
    this.backend = backend;
    this.spec = plan.spec(baseId, plan.request().scope());
    this.aliases = plan.followsAliases() ? new AliasScopes(plan, backend, baseId) : null;
  }

  /** Passes entries to a collector instead of the client, which gets no result either. */
  public SearchWalk collectInto(EntryCollector target) {
    collector = target;
    return this;
  }

  /** Sets the continuation at the end of the walk. */
  public SearchWalk endWith(AfterWalk other) {
    follower = other;
    return this;
  }

  /** Sets another ending of the walk. */
  public SearchWalk endWith(SearchEnding other) {
    ending = other;
    if (other.pageSize() > 0) {
      pageEnd = sent + other.pageSize();
    }
    return this;
  }

  /** Sets the position of a page at which the walk continues; before {@link #endWith}. */
  public SearchWalk goOn(PagePosition.ById from) throws LdapOperationException {
    position = from.afterId();
    sent = from.sent();
    AliasScopes.Next at = aliases == null ? null : aliases.restore(from.scopes());
    if (at != null) {
      backend = at.backend();
      spec = at.spec();
    }
    return this;
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public Outcome slice(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    resumed = begun;
    begun = true;
    long sentBefore = sent;
    long examinedBefore = allowance.examined();
    isScan = false;
    allowance.beginSlice(operation, budget);
    plan.beginSlice(backend, transaction);
    try {
      return walkScopes(operation, transaction);
    } finally {
      operation.session().metrics().entriesSent().add(sent - sentBefore);
      operation.examined(allowance.examined() - examinedBefore, isScan, allowance.isExceeded());
    }
  }

  private Outcome walkScopes(Operation operation, ReadTransaction transaction)
      throws LdapOperationException {
    for (; ; ) {
      Outcome outcome;
      try (EntryCursor cursor = plan.seen().open(transaction, spec, position, progress)) {
        try {
          outcome = walk(operation, transaction, cursor);
        } finally {
          isScan |= cursor.isScan();
        }
        progress = cursor.progress();
      }
      if (outcome != null) {
        return outcome;
      }
      ended();
      AliasScopes.Next next = aliases == null ? null : aliases.next();
      if (next == null && follower != null) {
        follower.begin();
        return Outcome.YIELDED;
      }
      if (next == null) {
        return end(operation);
      }
      boolean sameBackend = next.backend() == backend;
      backend = next.backend();
      spec = next.spec();
      position = 0;
      // Opening a scope costs something even if nothing in it is examined.
      if (!sameBackend || allowance.isOverNow()) {
        return Outcome.YIELDED;
      }
    }
  }

  @Override
  public void ended() {
    SearchProgress kept = progress;
    progress = null;
    if (kept != null) {
      kept.close();
    }
    plan.ended();
  }

  /** Walks until the scope ends, which is null, or the slice does. */
  private @Nullable Outcome walk(
      Operation operation, ReadTransaction transaction, EntryCursor cursor)
      throws LdapOperationException {
    OperationScratch scratch = plan.directory().scratch();
    EntryView view = scratch.view;
    ResponseSink sink = operation.sink();
    SeenEntries seen = plan.seen();
    long examinedBefore = 0;
    while (!operation.isAbandoned()) {
      EntryCursor.Step step = seen.next(cursor, view, allowance.candidates());
      position = cursor.position();
      letGoBefore(position);
      long examinedNow = cursor.examined();
      allowance.count(examinedNow - examinedBefore);
      examinedBefore = examinedNow;
      if (step == EntryCursor.Step.END) {
        return null;
      }
      if (step == EntryCursor.Step.ENTRY) {
        if (!resumed && LargeEntries.isSlow(view, transaction.attributes(), seen.lastSelection())) {
          allowance.takeBack();
          position = view.id() - 1;
          return Outcome.YIELDED;
        }
        if (!candidate(operation, transaction, scratch, cursor.isExact())) {
          allowance.takeBack();
          position = view.id() - 1;
          return Outcome.YIELDED;
        }
        if (stopped) {
          return end(operation);
        }
        if (!sink.isWritable()) {
          return Outcome.AWAITING_CLIENT;
        }
      } else {
        // Entries that a store passes over without examining take time too.
        allowance.readClockNext();
      }
      if (allowance.isOver()) {
        return Outcome.YIELDED;
      }
    }
    throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
  }

  private Outcome end(Operation operation) throws LdapOperationException {
    if (collector == null) {
      SearchEnding how = ending;
      LdapResult result = how == null ? LdapResult.SUCCESS : how.result(nextPage());
      operation.sink().result(plan.request(), result);
    }
    return Outcome.DONE;
  }

  private @Nullable PagePosition nextPage() throws LdapOperationException {
    if (!stopped) {
      return null;
    }
    byte[] scopes = aliases == null ? new byte[0] : aliases.save();
    return new PagePosition.ById(sent, position, scopes);
  }

  /** Deals with a candidate; false if the slice ends before. */
  private boolean candidate(
      Operation operation, ReadTransaction transaction, OperationScratch scratch, boolean isExact)
      throws LdapOperationException {
    EntryView view = scratch.view;
    if (view.id() == sending && plan.goesOnSending(view)) {
      return send(operation, transaction, view);
    }
    SearchRights rights = plan.rights();
    if (rights != null) {
      Boolean maySee = maySee(rights, transaction, view);
      if (maySee == null) {
        return false;
      }
      if (!maySee) {
        letGoBefore(view.id() + 1);
        return true;
      }
    }
    boolean isSpecial = (view.flags() & SPECIAL) != 0 || showsSubentriesOnly;
    if (isSpecial && passOver(operation, transaction, scratch)) {
      return true;
    }
    if (!isExact || isSpecial || rights != null && isByProfile(rights, view)) {
      StoredEntryFacts known = plan.probe(transaction);
      long testsBefore = scratch.matcher.tests();
      Ternary value = scratch.match(plan.test(view), transaction.attributes(), known, plan.pace());
      allowance.charge(scratch.matcher.tests() - testsBefore);
      if (value != Ternary.TRUE) {
        letGoBefore(value == null ? ReadTransaction.NO_ENTRY : view.id() + 1);
        return value != null;
      }
    }
    boolean wasShown = aliases != null && aliases.wasShown(transaction, view);
    return wasShown || send(operation, transaction, view);
  }

  /** Returns whether an entry may match as the index says, and not as the client may test it. */
  private boolean isByProfile(SearchRights rights, EntryView view) {
    Profile profile = plan.seen().profile(view);
    return rights.isMixed() && (profile == null || !rights.letsAllThrough(profile));
  }

  /** Returns whether the client may see an entry; null if the slice ends before that is known. */
  private @Nullable Boolean maySee(SearchRights rights, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    long testsBefore = rights.entries().tests();
    Boolean maySee = plan.seen().maySee(transaction, view);
    allowance.charge(rights.entries().tests() - testsBefore);
    return maySee;
  }

  /** Discards the parts of an entry that is gone or no longer matches. */
  private void letGoBefore(long id) {
    if (sending != ReadTransaction.NO_ENTRY && sending < id) {
      sending = ReadTransaction.NO_ENTRY;
      plan.ended();
    }
  }

  /** Sends an entry; false if the slice ends before. */
  private boolean send(Operation operation, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    if (collector != null) {
      stopped = !collector.add(transaction, view);
      allowance.charge(collector.tests());
      return true;
    }
    if (sent == pageEnd) {
      // The next page begins right before this entry.
      position = view.id() - 1;
      stopped = true;
      return true;
    }
    int limit = plan.bounds().entries();
    if (limit > 0 && sent >= limit) {
      throw new LdapOperationException(LdapResult.of(ResultCode.SIZE_LIMIT_EXCEEDED));
    }
    EntryMarks marks = plan.marks();
    if (marks != null && marks.isKnown(operation.sink(), transaction, view)) {
      letGoBefore(view.id() + 1);
      sent++;
      return true;
    }
    if (plan.computes()) {
      allowance.readClockNext();
    }
    if (!collect(transaction, view)) {
      sending = view.id();
      return false;
    }
    long testsBefore = plan.sendingTests();
    boolean isSent = EntrySending.send(plan, operation, transaction, view);
    allowance.charge(plan.sendingTests() - testsBefore);
    if (!isSent) {
      sending = view.id();
      return false;
    }
    if (follower != null) {
      follower.sent(plan.seen(), transaction, view);
    }
    sending = ReadTransaction.NO_ENTRY;
    sent++;
    return true;
  }

  /** Collects what an extension tells with an entry; false if the slice ends before. */
  private boolean collect(ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    EntryControls.Collector further = plan.entryControls();
    if (further == null) {
      return true;
    }
    allowance.readClockNext();
    boolean isDone = further.collect(transaction, view, plan.entryRights(), plan.profile(view));
    allowance.count(further.takeLookedAt());
    return isDone;
  }

  /** Deals with an entry that is more than an entry; false if it is to be treated like others. */
  private boolean passOver(
      Operation operation, ReadTransaction transaction, OperationScratch scratch)
      throws LdapOperationException {
    EntryView view = scratch.view;
    int flags = view.flags();
    if ((flags & EntryRecord.REFERRAL) != 0 && !plan.manageDsaIt()) {
      if (collector == null) {
        referMarked(operation, transaction, scratch);
      } else {
        stopped = !collector.addReference(view);
      }
      return true;
    }
    if ((flags & EntryRecord.ALIAS) != 0 && aliases != null && view.id() != spec.baseId()) {
      follow(aliases, operation, transaction);
      return true;
    }
    boolean isSubentry = (flags & EntryRecord.SUBENTRY) != 0;
    return plan.controls().subentries().hides(isSubentry, spec.scope());
  }

  /** Follows an alias; what that takes is charged, as the rights on the way are found at once. */
  private void follow(AliasScopes known, Operation operation, ReadTransaction transaction)
      throws LdapOperationException {
    EntryRights rights = plan.entryRights();
    long testsBefore = rights == null ? 0 : rights.tests();
    known.follow(transaction, backend, operation);
    allowance.charge(rights == null ? 0 : rights.tests() - testsBefore);
  }

  private void referMarked(
      Operation operation, ReadTransaction transaction, OperationScratch scratch)
      throws LdapOperationException {
    EntryMarks marks = plan.marks();
    if (marks == null) {
      SearchReferences.send(
          operation.sink(), transaction.attributes(), scratch, plan, spec.scope());
    } else if (!marks.isKnown(operation.sink(), transaction, scratch.view)) {
      List<ResponseControl> controls = marks.controls(transaction, scratch.view);
      List<String> urls =
          SearchReferences.urls(transaction.attributes(), scratch, plan, spec.scope());
      operation.sink().reference(urls, controls);
    }
  }
}
