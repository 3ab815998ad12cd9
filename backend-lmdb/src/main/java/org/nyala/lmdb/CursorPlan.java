package org.nyala.lmdb;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.posting.PostingReader;
import org.nyala.lmdb.search.AllNode;
import org.nyala.lmdb.search.AndNode;
import org.nyala.lmdb.search.CachedLookup;
import org.nyala.lmdb.search.CandidateNode;
import org.nyala.lmdb.search.CandidatePlanner;
import org.nyala.lmdb.search.KeptPlan;
import org.nyala.lmdb.search.OrNode;
import org.nyala.lmdb.search.PostingLeaf;
import org.nyala.lmdb.search.RangeWalk;
import org.nyala.lmdb.search.TestPlanner;

/**
 * The plan of a cursor: candidates by the filter and by the scope, made anew while ranges are still
 * being collected.
 *
 * <p>Confined to one running operation, like the cursor that it belongs to.
 */
final class CursorPlan {
  /** With at most this many candidates, the parent index is not worth a look-up. */
  private static final long FEW_FOR_ONE_LEVEL = 64;

  /** With at most this many candidates, a subtree is not worth enumerating. */
  private static final long FEW_FOR_SUBTREE = 1024;

  private static final SearchSpec NOTHING =
      new SearchSpec(
          LmdbSnapshot.NO_ENTRY, Scope.BASE, CompiledFilter.Constant.FALSE, false, false);

  private final LmdbSnapshot reader;
  private final PostingReader postings;
  private final PostingLeaf point;
  private final CachedLookup remembered;

  private SearchSpec spec = NOTHING;
  private boolean coversStore;
  private @Nullable KeptPlan kept;
  private boolean isOwn;
  private @Nullable RangeWalk pending;
  private boolean isStale;
  private boolean isMade;
  private boolean isNarrowed;
  private boolean isRemembered;
  private long paidFor;
  private long lookupsBefore;

  CursorPlan(
      LmdbSnapshot reader, PostingReader postings, PostingLeaf point, CachedLookup remembered) {
    this.reader = reader;
    this.postings = postings;
    this.point = point;
    this.remembered = remembered;
  }

  /** Begins a walk, with the state that the search has kept. */
  void begin(SearchSpec wanted, @Nullable KeptPlan handed) {
    spec = wanted;
    kept = handed;
    isOwn = handed == null;
    pending = null;
    isStale = false;
    isMade = false;
    isNarrowed = false;
    isRemembered = false;
    paidFor = 0;
    coversStore = wanted.scope() != Scope.BASE && reader.coversStore(wanted.baseId());
    remembered.reset();
  }

  /** Returns the state that the search has kept, creating it if there is none. */
  KeptPlan requireKept() {
    KeptPlan known = kept;
    if (known == null) {
      known = new KeptPlan(reader.planMemory(), reader.entryCount(), spec.memory());
      kept = known;
    }
    return known;
  }

  /** Hands the kept state on to the next owner, which continues the search and closes it. */
  @Nullable KeptPlan handOn() {
    isOwn = false;
    return kept;
  }

  /** Gives back the state that was kept for this walk alone. */
  void end() {
    KeptPlan known = kept;
    if (known != null && isOwn) {
      known.close();
    }
    kept = null;
    pending = null;
    spec = NOTHING;
  }

  /** Makes the plan for the entries after a position. */
  CandidateNode make(long block, long position) {
    isMade = true;
    isStale = false;
    isNarrowed = false;
    lookupsBefore = postings.lookups();
    boolean withReferrals = spec.withReferrals() && reader.hasReferrals();
    boolean withAliases = spec.withAliases() && reader.hasAliases();
    CandidatePlanner planner = reader.planner();
    if (!withReferrals && !withAliases && planner.planPoint(spec.filter(), point)) {
      isRemembered = position == 0 && remembered.find(point.prefix());
      if (isRemembered) {
        return point;
      }
      long estimate = point.estimate(block);
      return estimate <= FEW_FOR_ONE_LEVEL ? point : narrow(point, block, planner);
    }
    CandidateNode planned;
    try {
      planned = planner.plan(spec.filter(), block, kept, spec.memory());
    } finally {
      // Also if planning fails: state kept meanwhile is given back at the end of the walk.
      kept = planner.end();
      pending = planner.takePending();
    }
    if ((withReferrals || withAliases) && !(planned instanceof AllNode)) {
      planned = withFlagged(planned, planner, withReferrals, withAliases);
    }
    return narrow(planned, block, planner);
  }

  private static CandidateNode withFlagged(
      CandidateNode planned, CandidatePlanner planner, boolean withReferrals, boolean withAliases) {
    List<CandidateNode> nodes = new ArrayList<>(3);
    nodes.add(planned);
    TestPlanner tests = planner.tests();
    addPresent(withReferrals ? tests.flagged(EntryRecord.REFERRAL) : null, nodes);
    addPresent(withAliases ? tests.flagged(EntryRecord.ALIAS) : null, nodes);
    return new OrNode(nodes, planner.scratch());
  }

  private static void addPresent(@Nullable CandidateNode node, List<CandidateNode> nodes) {
    if (node != null) {
      nodes.add(node);
    }
  }

  /** Joins many candidates with the entries in scope if these can be determined cheaply. */
  private CandidateNode narrow(CandidateNode planned, long block, CandidatePlanner planner) {
    long estimate = planned instanceof AllNode ? Long.MAX_VALUE : planned.estimate(block);
    CandidateNode inScope = null;
    if (spec.scope() == Scope.ONE_LEVEL) {
      inScope = estimate > FEW_FOR_ONE_LEVEL ? planner.tests().below(spec.baseId()) : null;
    } else if (!coversStore && estimate > FEW_FOR_SUBTREE) {
      inScope = subtree();
    }
    if (inScope == null) {
      return planned;
    }
    isNarrowed = true;
    if (planned instanceof AllNode) {
      return new AndNode(List.of(inScope), planned.isExact(), planner.scratch());
    }
    boolean isScopeSmaller = inScope.estimate(block) <= estimate;
    return new AndNode(
        isScopeSmaller ? List.of(inScope, planned) : List.of(planned, inScope),
        true,
        planner.scratch());
  }

  /** Returns the entries at and below the base if they are few; one attempt is enough. */
  private @Nullable CandidateNode subtree() {
    KeptPlan known = kept;
    if (known != null && known.isLargeSubtree()) {
      return null;
    }
    CandidateNode few = reader.collectSubtree(spec.baseId());
    if (few == null && known != null) {
      known.largeSubtree();
    }
    return few;
  }

  /** Collects a range further, as far as the entries that were examined allow. */
  void collect(long examined) {
    RangeWalk walk = pending;
    KeptPlan plan = kept;
    if (walk == null || plan == null) {
      return;
    }
    plan.earn(examined - paidFor);
    paidFor = examined;
    walk.advance(reader, postings, plan);
    if (walk.isOver()) {
      pending = null;
      isStale = true;
    }
  }

  /** Returns whether a better plan can be made. */
  boolean isStale() {
    return isStale;
  }

  /** Returns whether there is no plan for the next entries, or a better one could be made. */
  boolean isDue() {
    return isStale || !isMade;
  }

  /** Returns whether a better plan may yet be made. */
  boolean isUnsettled() {
    return isStale || pending != null;
  }

  /** Returns whether putting a block together takes so many look-ups that it is not repeated. */
  boolean isCostly() {
    return !isMade || isMuch(postings.lookups() - lookupsBefore);
  }

  /** Returns whether this number of look-ups is enough between two looks at the clock. */
  boolean isMuch(long lookups) {
    return lookups >= reader.planMemory().limits().stepLookups();
  }

  /**
   * Returns whether every entry of the store is in scope, except for the base of a subordinate
   * search.
   */
  boolean coversStore() {
    return coversStore;
  }

  /**
   * Returns whether the entries in scope are looked up as well, so that only those are candidates.
   */
  boolean isNarrowed() {
    return isNarrowed;
  }

  /** Returns whether a search like this one led to the only candidate. */
  boolean isRemembered() {
    return isRemembered;
  }
}
