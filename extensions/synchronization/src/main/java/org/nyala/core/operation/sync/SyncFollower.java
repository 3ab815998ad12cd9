package org.nyala.core.operation.sync;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.control.SyncResponse;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntrySnapshot;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.operation.search.EntrySending;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchReferences;
import org.nyala.core.rights.ChangeSight;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.session.Operation;
import org.nyala.core.update.ChangeFeed;
import org.nyala.core.update.ChangeListener.Images;
import org.nyala.core.update.CommittedChange;

/**
 * The persist stage: passes on changes as they are made, in the order of commits, each with its own
 * number in a cookie.
 *
 * <p>Confined to one running operation, but for {@link #isReady}, which any thread may call.
 */
final class SyncFollower {
  /** The changes that are looked at for a later one of a large entry. */
  private static final int AHEAD = 4096;

  private final SearchPlan plan;
  private final SyncContent content;
  private final SyncClient client;
  private final FollowedFeed feed;
  private CsnVector reached = CsnVector.EMPTY;
  private @Nullable Csn passedOver;
  private final ChangeSight sight = new ChangeSight();

  /** True if the entry of the change at hand was in the content; null if that is not known yet. */
  private @Nullable Boolean was;

  /** True if it is in the content afterwards; null if that is not known yet. */
  private @Nullable Boolean is;

  private SyncFollower(SearchPlan plan, SyncContent content, SyncClient client, FollowedFeed feed) {
    this.plan = plan;
    this.content = content;
    this.client = client;
    this.feed = feed;
  }

  /**
   * Joins the feed.
   *
   * @throws LdapOperationException adminLimitExceeded if there are too many followers already
   */
  static SyncFollower join(
      SearchPlan plan, SyncContent content, SyncClient client, Operation operation)
      throws LdapOperationException {
    Images images = content.isWhole() && plan.rights() == null ? Images.LATEST : Images.BOTH;
    FollowedFeed feed = FollowedFeed.join(plan.directory(), operation, content.base(), images);
    return new SyncFollower(plan, content, client, feed);
  }

  /** Begins after the changes that the client has from the refresh stage. */
  void beginAfter(CsnVector csns) {
    reached = csns;
  }

  /** Returns the changes that the client has. */
  CsnVector reached() {
    return reached;
  }

  /** Returns whether there is something new and it is its turn; otherwise it is woken. */
  boolean isReady() {
    return feed.isReady();
  }

  /** Returns whether rights or epochs have changed since the last call. */
  boolean isToBeJudged() {
    return feed.isToBeJudged();
  }

  /** Passes on changes as far as the slice goes. */
  Outcome slice(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    pass(operation, transaction, budget);
    // Others have their turns before the next slice, if that has anything to do.
    feed.rest();
    return Outcome.AWAITING_CLIENT;
  }

  private void pass(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    for (CommittedChange change = feed.begin(plan, budget);
        change != null;
        change = feed.next(plan)) {
      if (!pass(operation, transaction, change)) {
        return;
      }
      was = null;
      is = null;
      sight.forget();
      if (feed.advance()) {
        tellPassedOver(operation);
      }
    }
    ChangeFeed.Loss loss = feed.loss();
    if (loss != null) {
      throw lost(operation, loss);
    }
  }

  /**
   * Requires that this server was not refreshed itself since the feed was joined: what the client
   * has got would be of two times. One that is only behind has what it was sent.
   *
   * @throws LdapOperationException syncRefreshRequired if it was
   */
  void requireOneTime(Operation operation) throws LdapOperationException {
    ChangeFeed.Loss loss = feed.loss();
    if (loss == ChangeFeed.Loss.REFRESHED || loss == ChangeFeed.Loss.REPAIRED) {
      throw lost(operation, loss);
    }
  }

  private LdapOperationException lost(Operation operation, ChangeFeed.Loss loss) {
    return switch (loss) {
      case DISPLACED -> FollowerMemory.displaced(operation);
      case BEHIND ->
          client.refreshRequired(
              reached, "the client reads changes more slowly than they are made");
      case REFRESHED ->
          client.refreshRequired(reached, "the naming context was refreshed from another server");
      case REPAIRED ->
          client.refreshRequired(
              null, "the naming context was refreshed from another server, from nothing");
    };
  }

  /** Tells the client at the end of a commit how far it is, if that is further than it knows. */
  private void tellPassedOver(Operation operation) {
    Csn last = passedOver;
    if (last != null) {
      passedOver = null;
      operation.sink().intermediate(SyncResponse.INFO, SyncResponse.newCookie(client.cookie(last)));
    }
  }

  /** Deals with a change; false if the slice ends before. */
  private boolean pass(Operation operation, ReadTransaction transaction, CommittedChange committed)
      throws LdapOperationException {
    Csn csn = committed.csn();
    if (!content.isInContext(committed.change().dn()) || reached.covers(csn)) {
      return true;
    }
    if (content.losesBase(committed.change())) {
      throw client.refreshRequired(null, "the base of the search is gone or has another name");
    }
    if (client.hasMade(csn)) {
      passOver(csn);
      return true;
    }
    if (!judge(transaction, committed)) {
      return false;
    }
    boolean wasThere = was != null && was;
    boolean isThere = is != null && is;
    if (!wasThere && !isThere
        || wasThere && isThere && (!plan.isTouched(sight) || isLargeAndChangesAgain(committed))) {
      passOver(csn);
      return true;
    }
    operation.session().tellsChange();
    if (!send(operation, transaction, committed, wasThere, isThere)) {
      return false;
    }
    reached = reached.with(csn);
    passedOver = null;
    operation.session().metrics().entriesSent().increment();
    return true;
  }

  private void passOver(Csn csn) {
    reached = reached.with(csn);
    passedOver = csn;
  }

  /**
   * Returns whether a later change sends a large entry again soon: the earlier one is left out then
   * (RFC 4533, section 3.9). The later one is never sent in its place: numbers must rise.
   */
  private boolean isLargeAndChangesAgain(CommittedChange committed) {
    EntrySnapshot image = committed.image();
    if (image == null || !(committed.change() instanceof ResolvedChange.Modify)) {
      return false;
    }
    EntryView view = plan.directory().scratch().view;
    image.show(view);
    return (view.flags() & EntryRecord.LARGE) != 0
        && !plan.isSending(view)
        && feed.isFollowedBy(later -> sendsAgain(later, committed.entryId()), AHEAD);
  }

  private boolean sendsAgain(CommittedChange later, long entryId) {
    return later.entryId() == entryId
        && content.isInContext(later.change().dn())
        && !client.hasMade(later.csn());
  }

  /** Finds out if the entry was and is in the content; false if the slice ends before. */
  private boolean judge(ReadTransaction transaction, CommittedChange committed)
      throws LdapOperationException {
    ResolvedChange change = committed.change();
    boolean isDelete = change instanceof ResolvedChange.Delete;
    if (content.isWhole()) {
      was = !(change instanceof ResolvedChange.Add);
    }
    if (was == null) {
      EntrySnapshot former = isDelete ? committed.image() : committed.former();
      boolean isAdd = change instanceof ResolvedChange.Add;
      was = isAdd ? Boolean.FALSE : has(transaction, required(former), change.dn(), true);
    }
    if (was != null && is == null) {
      Dn name = change instanceof ResolvedChange.Rename rename ? rename.newDn() : change.dn();
      is = isDelete ? Boolean.FALSE : has(transaction, required(committed.image()), name, false);
    }
    if (was == null || is == null || was && is && !isSighted(transaction, committed)) {
      return false;
    }
    boolean isTold = was && is && content.isOfEntriesAlone();
    if (!isTold
        && change instanceof ResolvedChange.Rename rename
        && committed.movesSubordinates()
        && content.dependsOnPlace()
        && maySeeBelow(rename)
        && (content.isInScope(rename.dn()) || content.isInScope(rename.newDn()))) {
      throw client.refreshRequired(null, "entries have other names with one that is not shown");
    }
    return true;
  }

  /**
   * Finds the client's rights to an entry that was and is there; false if the slice ends before.
   */
  private boolean isSighted(ReadTransaction transaction, CommittedChange committed)
      throws LdapOperationException {
    EntryRights rights = plan.entryRights();
    return rights == null
        || sight.judge(
            rights,
            committed,
            plan.directory().scratch().view,
            transaction,
            plan.directory().probe(transaction),
            plan.pace());
  }

  /** Returns whether there may be entries below the names of a rename that the client can see. */
  private boolean maySeeBelow(ResolvedChange.Rename rename) {
    EntryRights rights = plan.entryRights();
    return rights == null
        || rights.mayReadBelow(rename.dn())
        || rights.mayReadBelow(rename.newDn());
  }

  private EntrySnapshot required(@Nullable EntrySnapshot image) throws LdapOperationException {
    if (image == null) {
      throw client.refreshRequired(reached, "a change came without its entry");
    }
    return image;
  }

  private @Nullable Boolean has(
      ReadTransaction transaction, EntrySnapshot image, Dn name, boolean isFormer)
      throws LdapOperationException {
    if (!content.isInScope(name)) {
      return false;
    }
    show(transaction, image);
    return content.has(transaction, image.table(), isFormer);
  }

  private void show(ReadTransaction transaction, EntrySnapshot image) {
    EntryView view = plan.directory().scratch().view;
    image.show(view);
    // Values that the image lacks are read in their present state.
    view.largeSource(transaction);
  }

  /** Sends the change of an entry; false if the slice ends before. */
  private boolean send(
      Operation operation,
      ReadTransaction transaction,
      CommittedChange committed,
      boolean wasThere,
      boolean isThere)
      throws LdapOperationException {
    boolean isDelete = committed.change() instanceof ResolvedChange.Delete;
    EntrySnapshot image = required(isThere || isDelete ? committed.image() : committed.former());
    OperationScratch scratch = plan.directory().scratch();
    show(transaction, image);
    int state = !isThere ? SyncResponse.DELETE : wasThere ? SyncResponse.MODIFY : SyncResponse.ADD;
    UUID uuid = SyncMarks.uuid(plan.seen(), scratch.view, image.table());
    List<ResponseControl> controls =
        List.of(SyncResponse.state(state, uuid, client.cookie(committed.csn())));
    boolean isReference = content.isReference(scratch.view.flags());
    if (isReference) {
      List<String> urls =
          isThere
              ? SearchReferences.urls(image.table(), scratch, plan, plan.request().scope())
              : List.of();
      operation.sink().reference(urls, controls);
      return true;
    }
    if (!isThere) {
      operation
          .sink()
          .entry(scratch.view, image.table(), AttributeSelection.NOTHING, List.of(), controls);
      return true;
    }
    return EntrySending.sendImage(
        plan, operation, transaction, scratch.view, image.table(), controls);
  }

  /** Leaves the feed. Idempotent. */
  void close() {
    feed.close();
  }
}
