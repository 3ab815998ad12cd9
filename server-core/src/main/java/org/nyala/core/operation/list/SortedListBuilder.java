package org.nyala.core.operation.list;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ValueOrder;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.directory.SortedList;
import org.nyala.core.directory.SortedListCache;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchWalk;
import org.nyala.core.session.Operation;

/**
 * Makes the sorted list of a search, slice by slice: gathers the entries that match, then sorts
 * them by an index if one has the order, otherwise by keys made of the entries.
 *
 * <p>Confined to one running operation.
 */
final class SortedListBuilder implements SearchWalk.EntryCollector {
  private enum Phase {
    GATHER,
    WALK_INDEX,
    READ_KEYS,
    MERGE,
    DONE
  }

  /** The number of entries up to which reading them costs less than walking an index. */
  private static final int FEW = 1000;

  /** The number of steps between two readings of the clock. */
  private static final int STEPS = 256;

  /** Values that an entry may be ordered by as a rule, in tests. */
  private static final long TESTS_PER_STEP = 8;

  /** The bytes of a piece in which memory is reserved. */
  private static final int RESERVED_PIECE = SteppedCharge.STEP_BYTES;

  private static final long[] NOT_YET = {};
  private static final byte[] START = {};

  private final SearchPlan plan;
  private final SortOrder order;
  private final SortedListCache cache;
  private final SteppedCharge charge;
  private final Backend backend;
  private final SearchWalk walk;
  private final long startNanos;
  private final IdList references = new IdList();
  private final IdList ids = new IdList();
  private final KeySort keys = new KeySort();
  private Phase phase = Phase.GATHER;
  private boolean started;
  private boolean usesIndex;
  private long snapshot;
  private int gathered;
  private long added;
  private int keysRead;
  private @Nullable IndexSort index;
  private long[] sorted = NOT_YET;
  private @Nullable SortFailure failure;
  private long reservedBytes;
  private long sliceEndNanos;

  /**
   * Creates an empty builder.
   *
   * @param charge the charge for the memory in use; given back by its creator
   * @param startNanos a time before the store is read, on the server's nanosecond clock
   */
  SortedListBuilder(
      SearchPlan plan,
      SortOrder order,
      Backend backend,
      long baseId,
      SteppedCharge charge,
      long startNanos) {
    this.charge = charge;
    this.plan = plan;
    this.order = order;
    this.cache = plan.directory().runtime().views();
    this.backend = backend;
    this.walk = new SearchWalk(plan, backend, baseId).collectInto(this);
    this.startNanos = startNanos;
  }

  /** Returns the store that the next slice reads. */
  Backend backend() {
    return walk.backend();
  }

  /**
   * Goes on for a slice.
   *
   * @param search the digest of the search, by {@link SearchDigest}
   * @return the list, or null if it needs another slice
   * @throws SortFailure if the list cannot be made
   */
  @Nullable SortedList slice(
      Operation operation, ReadTransaction transaction, SliceBudget budget, byte[] search)
      throws LdapOperationException, SortFailure {
    begin(transaction, budget);
    boolean goesOn = true;
    while (goesOn && phase != Phase.DONE) {
      goesOn = step(operation, transaction, budget);
      throwFailure();
    }
    if (phase != Phase.DONE) {
      return null;
    }
    return new SortedList(
        cache.nextId(), search, backend, sorted, references.toArray(), snapshot, startNanos, null);
  }

  private void begin(ReadTransaction transaction, SliceBudget budget) throws SortFailure {
    sliceEndNanos = plan.directory().nanoTime() + budget.nanos();
    if (walk.backend() != backend) {
      throw new SortFailure(
          ResultCode.UNWILLING_TO_PERFORM, null, "entries of several stores cannot be sorted");
    }
    if (!started) {
      started = true;
      snapshot = transaction.snapshot();
      // Ids that aliases add do not rise, and index entries are looked up among rising ids.
      usesIndex = !plan.followsAliases() && order.index(transaction, START) != null;
    } else if (snapshot != transaction.snapshot()) {
      snapshot = ReadTransaction.UNKNOWN_SNAPSHOT;
    }
  }

  /** Goes on in the phase at hand; false if the slice is over. */
  private boolean step(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    return switch (phase) {
      case GATHER -> gather(operation, transaction, budget);
      case WALK_INDEX -> walkIndex(transaction);
      case READ_KEYS -> readKeys(operation, transaction);
      case MERGE -> merge(operation);
      case DONE -> true;
    };
  }

  private boolean gather(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    if (walk.slice(operation, transaction, budget) != Outcome.DONE) {
      return false;
    }
    if (!usesIndex) {
      beginMerge();
    } else if (gathered <= FEW) {
      phase = Phase.READ_KEYS;
    } else {
      index = new IndexSort(ids.toArray(), order.isReverse());
      phase = Phase.WALK_INDEX;
    }
    return true;
  }

  @Override
  public boolean add(ReadTransaction transaction, EntryView entry) throws LdapOperationException {
    int limit = plan.bounds().sorted();
    if (limit > 0 && gathered == limit) {
      failure =
          new SortFailure(
              ResultCode.ADMIN_LIMIT_EXCEEDED, null, "more than " + limit + " entries to sort");
      return false;
    }
    gathered++;
    if (usesIndex) {
      ids.add(entry.id());
    } else {
      addKey(
          transaction,
          entry,
          order.isGuarded() ? plan.seen().searchable(transaction, entry) : null);
    }
    return hasRoom();
  }

  @Override
  public long tests() {
    return added;
  }

  private void addKey(
      ReadTransaction transaction, EntryView entry, boolean @Nullable [] searchable) {
    long before = order.tests();
    order.append(transaction, entry, searchable, keys.keys());
    keys.add(entry.id());
    added = order.tests() - before;
  }

  @Override
  public boolean addReference(EntryView entry) {
    references.add(entry.id());
    return hasRoom();
  }

  /** Reserves the memory in use by now; if there is none left, the failure is recorded. */
  private boolean hasRoom() {
    long used = references.memory() + 3 * ids.memory() + keys.memory();
    if (used <= reservedBytes) {
      return true;
    }
    long more = Math.max(used - reservedBytes, RESERVED_PIECE);
    if (!cache.reserve(more)) {
      failure = new SortFailure(ResultCode.BUSY, null, "no memory left for sorted lists");
      return false;
    }
    reservedBytes += more;
    while (!charge.tryHold(reservedBytes)) {
      if (!cache.dropEldestOf(plan.memory().owner())) {
        failure = tooMuchForOne();
        return false;
      }
    }
    return true;
  }

  private SortFailure tooMuchForOne() {
    return plan.memory().couldHold(reservedBytes)
        ? new SortFailure(ResultCode.BUSY, null, "no memory left for this client's sorted lists")
        : new SortFailure(
            ResultCode.ADMIN_LIMIT_EXCEEDED, null, "the list takes more memory than one may");
  }

  private boolean walkIndex(ReadTransaction transaction) throws LdapOperationException {
    IndexSort sort = index;
    ValueOrder values = sort == null ? null : order.index(transaction, sort.position());
    while (sort != null && values != null && !sort.isTooLong()) {
      if (sort.step(values, STEPS)) {
        finish(sort.sorted());
        return true;
      }
      if (isSliceOver()) {
        sort.pause(values);
        return false;
      }
    }
    // The index has much else in it, or is no more.
    index = null;
    phase = Phase.READ_KEYS;
    return true;
  }

  private boolean readKeys(Operation operation, ReadTransaction transaction)
      throws LdapOperationException {
    EntryView view = plan.directory().scratch().view;
    while (keysRead < ids.size()) {
      if (operation.isAbandoned()) {
        return false;
      }
      long enough = order.tests() + STEPS * TESTS_PER_STEP;
      int end = Math.min(ids.size(), keysRead + STEPS);
      for (; keysRead < end && order.tests() < enough; keysRead++) {
        if (plan.seen().read(transaction, ids.get(keysRead))) {
          // An index is used only if values of all entries may be searched.
          addKey(transaction, view, null);
        }
      }
      if (!hasRoom() || keysRead < ids.size() && isSliceOver()) {
        return false;
      }
    }
    beginMerge();
    return true;
  }

  private void beginMerge() {
    keys.begin();
    phase = Phase.MERGE;
  }

  private boolean merge(Operation operation) throws LdapOperationException {
    while (!keys.step(STEPS)) {
      if (operation.isAbandoned() || isSliceOver()) {
        return false;
      }
    }
    finish(keys.sorted());
    return true;
  }

  private void finish(long[] entries) {
    sorted = entries;
    phase = Phase.DONE;
  }

  private boolean isSliceOver() throws LdapOperationException {
    long now = plan.directory().nanoTime();
    plan.bounds().time().check(now);
    return now - sliceEndNanos >= 0;
  }

  private void throwFailure() throws SortFailure {
    SortFailure noted = failure;
    if (noted != null) {
      throw noted;
    }
  }

  /** Gives the memory back. Idempotent; the builder cannot be used afterwards. */
  void release() {
    cache.release(reservedBytes);
    reservedBytes = 0;
    walk.ended();
  }
}
