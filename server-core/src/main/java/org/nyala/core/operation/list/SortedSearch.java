package org.nyala.core.operation.list;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.control.PagedResults;
import org.nyala.core.control.SortKeys;
import org.nyala.core.control.VirtualListView;
import org.nyala.core.directory.ListMemory;
import org.nyala.core.directory.SortedList;
import org.nyala.core.directory.SortedListCache;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.ListRequest;
import org.nyala.core.operation.search.PagePosition;
import org.nyala.core.operation.search.SearchEnding;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchWalk;
import org.nyala.core.operation.search.StoreStage;
import org.nyala.core.session.Operation;

/**
 * A search with results in pages, in an order, or as a part of a list: finds or makes the sorted
 * list, finds the place in it, and sends from there.
 *
 * <p>Confined to one running operation.
 */
public final class SortedSearch implements StoreStage {
  /*
   * The choice of the list that serves a request if several searches ask for the same (see
   * src-docs/decisions):
   * - the next page of sorted results: the list of the page before; if it is gone, a new one behind
   *   the same key and entry;
   * - a list view: one of the same snapshot, else one not older than CONTEXT_NANOS if the client
   *   goes on with it by its context id, or while another search makes a new one; FRESH_NANOS
   *   otherwise; never one older than a change of which the connection was told;
   * - everything else: one of the same snapshot.
   */
  private static final long CONTEXT_NANOS = 10_000_000_000L;
  private static final long FRESH_NANOS = 1_000_000_000L;

  /** Lists of fewer entries are not kept for clients that did not announce to go on. */
  private static final int WORTH_KEEPING = 1000;

  private final SearchPlan plan;
  private final ListRequest request;
  private final byte[] search;
  private final Object owner;
  private final byte[] lists;
  private final @Nullable PagePosition position;
  private final long startNanos;
  private final SteppedCharge charge;
  private @Nullable SortedList joined;
  private @Nullable Backend backend;
  private long baseId;
  private @Nullable SortOrder order;
  private @Nullable SortedListBuilder maker;
  private @Nullable SortedListSender sender;
  private @Nullable SearchWalk unsorted;

  /**
   * Prepares a search.
   *
   * @param search the digest of the search, by {@link SearchDigest}
   * @throws LdapOperationException if the cookie is not one for this search
   */
  public SortedSearch(SearchPlan plan, ListRequest request, byte[] search)
      throws LdapOperationException {
    this.plan = plan;
    this.request = request;
    this.search = search;
    // The present owner: a bind under way may change the connection's identity.
    this.owner = plan.memory().owner();
    this.lists = SearchDigest.of(search, owner, plan.rightsNumber());
    this.charge = new SteppedCharge(plan.memory());
    this.startNanos = plan.directory().nanoTime();
    PagedResults paged = request.paged();
    this.position =
        paged == null || paged.cookie().length == 0
            ? null
            : PagePosition.decode(
                plan.directory().runtime().pageSeals().open(paged.cookie(), search));
  }

  /** Sets the place of the search's base; before the first slice. */
  public SortedSearch below(Backend store, long id) {
    backend = store;
    baseId = id;
    return this;
  }

  @Override
  public Backend backend() {
    SearchWalk walk = unsorted;
    SortedListBuilder making = maker;
    if (walk != null) {
      return walk.backend();
    }
    return making != null ? making.backend() : store();
  }

  private Backend store() {
    Backend store = backend;
    if (store == null) {
      throw new IllegalStateException("a search without a base");
    }
    return store;
  }

  @Override
  public Outcome slice(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    SearchWalk walk = unsorted;
    if (walk == null) {
      plan.beginSlice(store(), transaction);
    }
    if (walk == null && sender == null) {
      try {
        walk = prepare(operation, transaction, budget);
      } catch (SortFailure e) {
        release();
        charge.giveBack();
        walk = withoutOrder(e);
      }
    }
    SortedListSender sending = sender;
    if (walk != null) {
      return walk.slice(operation, transaction, budget);
    }
    return sending == null
        ? Outcome.YIELDED
        : sending.slice(operation, transaction, budget, this::result);
  }

  /** Finds or makes the list; a walk when none is wanted. */
  private @Nullable SearchWalk prepare(
      Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException, SortFailure {
    SortKeys keys = request.sort();
    if (keys == null) {
      return walk(null);
    }
    SortOrder resolved = order;
    if (resolved == null) {
      resolved = SortOrder.of(plan.directory().reading(), keys, plan.rights());
      order = resolved;
      if (position instanceof PagePosition.ById) {
        throw new SortFailure(
            ResultCode.UNWILLING_TO_PERFORM, null, "the previous page was not sorted");
      }
    }
    SortedList list = maker == null ? known(operation, transaction) : null;
    if (list != null && list.join()) {
      joined = list;
    } else {
      list = made(resolved, operation, transaction, budget);
    }
    if (list != null) {
      sender = place(list, resolved, transaction);
    }
    return null;
  }

  private @Nullable SortedList made(
      SortOrder resolved, Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException, SortFailure {
    SortedListBuilder making = maker;
    if (making == null) {
      making = new SortedListBuilder(plan, resolved, store(), baseId, charge, startNanos);
      maker = making;
      plan.directory().runtime().views().beginMaking(lists);
    }
    SortedList list = making.slice(operation, transaction, budget, lists);
    if (list != null) {
      release();
      charge.hold(list.memory());
      keep(list);
    }
    return list;
  }

  private void keep(SortedList list) {
    PagedResults paged = request.paged();
    boolean goesOn =
        request.view() != null
            || paged != null && plan.bounds().pageOf(paged.size()) < list.entries().length;
    if (goesOn || list.entries().length >= WORTH_KEEPING) {
      keepOnBehalfOfOwner(list);
    }
  }

  /** Keeps a list in place of older ones of the same owner, if there is no room beside them. */
  private void keepOnBehalfOfOwner(SortedList list) {
    SortedListCache views = plan.directory().runtime().views();
    charge.giveBack();
    ListMemory held = ListMemory.take(plan.memory(), owner, list.memory());
    while (held == null && views.dropEldestOf(owner)) {
      held = ListMemory.take(plan.memory(), owner, list.memory());
    }
    if (held == null) {
      charge.hold(list.memory());
      return;
    }
    SortedList kept = list.heldBy(held);
    joined = kept;
    views.put(kept);
  }

  private @Nullable SortedList known(Operation operation, ReadTransaction transaction) {
    SortedListCache views = plan.directory().runtime().views();
    if (position instanceof PagePosition.InList at) {
      return views.find(at.list(), lists);
    }
    VirtualListView view = request.view();
    byte[] context = view == null ? null : view.contextId();
    if (context != null) {
      SortedList list = views.find(ByteBuffer.wrap(context).getLong(), lists);
      if (list != null && isFresh(list, operation, transaction, CONTEXT_NANOS)) {
        return list;
      }
    }
    SortedList latest = views.latest(lists);
    long age = view == null ? 0 : views.isMaking(lists) ? CONTEXT_NANOS : FRESH_NANOS;
    return latest != null && isFresh(latest, operation, transaction, age) ? latest : null;
  }

  private boolean isFresh(
      SortedList list, Operation operation, ReadTransaction transaction, long maximumAgeNanos) {
    return list.isOf(transaction.snapshot())
        || plan.directory().nanoTime() - list.startNanos() < maximumAgeNanos
            && operation.session().knowsNoChangeAfter(list.startNanos());
  }

  private SortedListSender place(SortedList list, SortOrder resolved, ReadTransaction transaction)
      throws LdapOperationException {
    ListPosition places = new ListPosition(list, resolved, transaction, plan);
    SortedListSender sending = new SortedListSender(plan, list, resolved, baseId);
    VirtualListView view = request.view();
    PagedResults paged = request.paged();
    int size = list.entries().length;
    if (view != null) {
      int target = size == 0 && view.value() != null ? 0 : places.target(view);
      long from = Math.max(0L, (long) target - view.before());
      long end = Math.min(size, (long) target + view.after() + 1);
      return sending.between((int) from, (int) end).target(target, view.contextId() == null);
    }
    if (paged == null) {
      return sending.between(0, size);
    }
    if (position instanceof PagePosition.InList at) {
      boolean isSame = at.list() == list.id();
      int from = isSame ? at.place() : places.after(at.lastKey(), at.lastId());
      return sending.between(from, size).page(plan.bounds().pageOf(paged.size()), at);
    }
    return sending.between(0, size).page(plan.bounds().pageOf(paged.size()), null);
  }

  /** The result after everything was sent. */
  private LdapResult result(SortedListSender sent) {
    List<ResponseControl> controls = new ArrayList<>(2);
    controls.add(SortKeys.response(ResultCode.SUCCESS, null));
    int size = sent.list().entries().length;
    if (request.paged() != null) {
      PagePosition next = sent.nextPage();
      byte[] cookie =
          next == null
              ? PagedResults.NO_COOKIE
              : plan.directory().runtime().pageSeals().seal(next.encode(), search);
      controls.add(PagedResults.response(size, cookie));
    }
    if (request.view() != null) {
      byte[] context = ByteBuffer.allocate(Long.BYTES).putLong(sent.list().id()).array();
      int target = size == 0 ? 0 : sent.targetPlace() + 1;
      controls.add(VirtualListView.response(target, size, ResultCode.SUCCESS, context));
    }
    return LdapResult.SUCCESS.with(controls);
  }

  /** Goes on without an order, unless the client has no use for that. */
  private SearchWalk withoutOrder(SortFailure failure) throws LdapOperationException {
    ResponseControl sorting = SortKeys.response(failure.code(), failure.attribute());
    boolean isView = request.view() != null;
    if (isView || request.isSortCritical()) {
      ResultCode code =
          request.isSortCritical()
              ? ResultCode.UNAVAILABLE_CRITICAL_EXTENSION
              : ResultCode.VIRTUAL_LIST_VIEW_ERROR;
      List<ResponseControl> controls = new ArrayList<>(List.of(sorting));
      if (isView) {
        controls.add(VirtualListView.response(0, 0, ResultCode.UNWILLING_TO_PERFORM, null));
      }
      throw new LdapOperationException(LdapResult.of(code, failure.text()).with(controls));
    }
    if (position instanceof PagePosition.InList) {
      throw new LdapOperationException(
          LdapResult.of(ResultCode.UNWILLING_TO_PERFORM, failure.text()).with(List.of(sorting)));
    }
    return walk(sorting);
  }

  private SearchWalk walk(@Nullable ResponseControl sorting) throws LdapOperationException {
    SearchWalk walk = new SearchWalk(plan, store(), baseId);
    if (position instanceof PagePosition.ById at) {
      walk.goOn(at);
    }
    PagedResults paged = request.paged();
    int pageSize = paged == null ? 0 : plan.bounds().pageOf(paged.size());
    walk.endWith(
        new SearchEnding(plan.directory().runtime().pageSeals(), search, pageSize, sorting));
    unsorted = walk;
    return walk;
  }

  private void release() {
    SortedListBuilder making = maker;
    if (making != null) {
      making.release();
      plan.directory().runtime().views().endMaking(lists);
      maker = null;
    }
  }

  @Override
  public void ended() {
    release();
    charge.giveBack();
    SortedList list = joined;
    if (list != null) {
      joined = null;
      list.leave();
    }
    SearchWalk walk = unsorted;
    if (walk != null) {
      walk.ended();
    }
    plan.ended();
  }
}
