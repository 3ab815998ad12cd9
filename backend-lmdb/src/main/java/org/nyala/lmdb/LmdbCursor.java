package org.nyala.lmdb;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.Scope;

/**
 * A cursor over the base entry, over candidates block by block, over the one entry that a search
 * like this one led to before, or over all records, whichever the plan calls for; scope is checked
 * on the record.
 *
 * <p>Confined to one running operation. Hot. Belongs to its reader, which uses it again.
 */
final class LmdbCursor implements EntryCursor {
  private enum Mode {
    FREE,
    BASE,
    CANDIDATES,
    POINT,
    ALL,
    DONE
  }

  /** Up to so many candidates the parent index is not worth a look-up. */
  private static final long FEW_FOR_ONE_LEVEL = 64;

  /** Up to so many candidates a subtree is not worth enumerating. */
  private static final long FEW_FOR_SUBTREE = 1024;

  private static final CompiledFilter MATCH_ALL = CompiledFilter.Constant.TRUE;

  private final LmdbSnapshot reader;
  private final SeekCursor records;
  private final PostingLeaf point;
  private final PointSearch remembered;
  private final BlockSet set = new BlockSet();

  private Mode mode = Mode.FREE;
  private CandidateNode node = AllNode.TRUE;
  private Scope scope = Scope.BASE;
  private long baseId;
  private boolean coversStore;
  private boolean exact;
  private boolean isNarrowed;
  private boolean isRemembered;

  private long position;
  private long examined;
  private long block;
  private long recordsAt;

  private long scopeParent;
  private boolean scopeAnswer;
  private long dnParent;
  private byte[] parentDn = {};

  LmdbCursor(LmdbSnapshot reader, SeekCursor records, PostingLeaf point, PointSearch remembered) {
    this.reader = reader;
    this.records = records;
    this.point = point;
    this.remembered = remembered;
  }

  /** Whether nobody uses the cursor. */
  boolean isFree() {
    return mode == Mode.FREE;
  }

  /** Starts a walk after an entry id. */
  LmdbCursor open(SearchSpec spec, long afterEntryId) {
    scope = spec.scope();
    baseId = spec.baseId();
    position = afterEntryId;
    examined = 0;
    recordsAt = 0;
    scopeParent = -1;
    dnParent = -1;
    isNarrowed = false;
    isRemembered = false;
    remembered.reset();
    if (scope == Scope.BASE) {
      mode = afterEntryId < baseId ? Mode.BASE : Mode.DONE;
      exact = spec.filter().equals(MATCH_ALL);
      return this;
    }
    coversStore = reader.coversStore(baseId);
    set.clear();
    block = IndexKeys.block(afterEntryId + 1) & 0xffff_ffffL;
    node = choose(spec);
    exact = node.isExact();
    if (isRemembered) {
      mode = Mode.POINT;
    } else {
      mode = node instanceof AllNode ? Mode.ALL : Mode.CANDIDATES;
    }
    // The next block to load is the one after this.
    block--;
    return this;
  }

  private CandidateNode choose(SearchSpec spec) {
    boolean withReferrals = spec.withReferrals() && reader.hasReferrals();
    boolean withAliases = spec.withAliases() && reader.hasAliases();
    CandidatePlanner planner = reader.planner();
    if (!withReferrals && !withAliases && planner.planPoint(spec.filter(), point)) {
      isRemembered = position == 0 && remembered.find(point.prefix());
      if (isRemembered) {
        return point;
      }
      long estimate = point.estimate(block);
      return estimate <= FEW_FOR_ONE_LEVEL ? point : narrow(point, planner);
    }
    CandidateNode planned = planner.plan(spec.filter(), block);
    if ((withReferrals || withAliases) && !(planned instanceof AllNode)) {
      planned = withFlagged(planned, planner, withReferrals, withAliases);
    }
    return narrow(planned, planner);
  }

  private static CandidateNode withFlagged(
      CandidateNode planned, CandidatePlanner planner, boolean withReferrals, boolean withAliases) {
    List<CandidateNode> nodes = new ArrayList<>(3);
    nodes.add(planned);
    addPresent(withReferrals ? planner.flagged(EntryRecord.REFERRAL) : null, nodes);
    addPresent(withAliases ? planner.flagged(EntryRecord.ALIAS) : null, nodes);
    return new OrNode(nodes);
  }

  private static void addPresent(@Nullable CandidateNode node, List<CandidateNode> nodes) {
    if (node != null) {
      nodes.add(node);
    }
  }

  /** Joins many candidates with the entries in scope where these can be told cheaply. */
  private CandidateNode narrow(CandidateNode planned, CandidatePlanner planner) {
    long estimate = planned instanceof AllNode ? Long.MAX_VALUE : planned.estimate(block);
    CandidateNode inScope = null;
    if (scope == Scope.ONE_LEVEL) {
      inScope = estimate > FEW_FOR_ONE_LEVEL ? planner.below(baseId) : null;
    } else if (!coversStore && estimate > FEW_FOR_SUBTREE) {
      inScope = reader.collectSubtree(baseId);
    }
    if (inScope == null) {
      return planned;
    }
    isNarrowed = true;
    if (planned instanceof AllNode) {
      return new AndNode(List.of(inScope), planned.isExact());
    }
    boolean isScopeSmaller = inScope.estimate(block) <= estimate;
    return new AndNode(
        isScopeSmaller ? List.of(inScope, planned) : List.of(planned, inScope), true);
  }

  @Override
  public Step next(EntryView view, int examineLimit) {
    return switch (mode) {
      case BASE -> nextBase(view);
      case CANDIDATES -> nextCandidate(view, examineLimit);
      case POINT -> nextPoint(view);
      case ALL -> nextRecord(view, examineLimit);
      case DONE -> Step.END;
      case FREE -> throw new IllegalStateException("the cursor is closed");
    };
  }

  private Step nextBase(EntryView view) {
    mode = Mode.DONE;
    position = baseId;
    examined = 1;
    if (!records.seekId(baseId)) {
      return Step.END;
    }
    show(view, baseId, records.value(), 0);
    return Step.ENTRY;
  }

  private Step nextPoint(EntryView view) {
    mode = Mode.DONE;
    position = remembered.entryId();
    examined = 1;
    ByteBuffer record = remembered.buffer();
    int at = remembered.recordStart();
    if (!isInScope(position, record, at)) {
      return Step.END;
    }
    show(view, position, record, at);
    return Step.ENTRY;
  }

  private Step nextCandidate(EntryView view, int examineLimit) {
    int left = examineLimit;
    while (left > 0) {
      int low = set.next();
      if (low < 0) {
        if (!nextBlock()) {
          rememberPoint();
          mode = Mode.DONE;
          return Step.END;
        }
        // A block costs something even when nothing of it is left.
        if (set.isEmpty()) {
          left--;
          examined++;
        }
        continue;
      }
      left--;
      examined++;
      position = block << 16 | low;
      if (moveTo(position)) {
        ByteBuffer record = records.value();
        if (isInScope(position, record, 0)) {
          show(view, position, record, 0);
          return Step.ENTRY;
        }
      } else {
        skipAbsent();
      }
    }
    return Step.LIMIT;
  }

  /* Not where more entries have the value and only one of them is in scope. */
  private void rememberPoint() {
    if (node == point && examined == 1 && recordsAt == position) {
      remembered.remember(position, records.value());
    }
  }

  /**
   * A NOT names ids that no entry has, up to the end of each block: goes to the next that one has.
   */
  private void skipAbsent() {
    long id = records.seekIdOrNext(position + 1) ? records.key().getLong(0) : -1;
    if (id >>> 16 == block) {
      set.startFrom((int) (id & 0xffff));
    } else {
      set.skipRest();
    }
  }

  private boolean nextBlock() {
    long first = position + 1 >>> 16;
    long next = node.nextBlock(Math.max(block + 1, first));
    if (next == CandidateNode.NONE) {
      return false;
    }
    node.load(next, set);
    set.startFrom(next == first ? (int) (position + 1 & 0xffff) : 0);
    block = next;
    if (set.isEmpty()) {
      position = next << 16 | 0xffff;
    }
    return true;
  }

  private boolean moveTo(long id) {
    boolean found = recordsAt != 0 && recordsAt + 1 == id && records.next();
    found = found && records.key().getLong(0) == id || records.seekId(id);
    recordsAt = found ? id : 0;
    return found;
  }

  private Step nextRecord(EntryView view, int examineLimit) {
    for (int left = examineLimit; left > 0; left--) {
      boolean found = recordsAt != 0 ? records.next() : records.seekIdOrNext(position + 1);
      if (!found) {
        mode = Mode.DONE;
        return Step.END;
      }
      long id = records.key().getLong(0);
      recordsAt = id;
      position = id;
      examined++;
      ByteBuffer record = records.value();
      if (isInScope(id, record, 0)) {
        show(view, id, record, 0);
        return Step.ENTRY;
      }
    }
    return Step.LIMIT;
  }

  private boolean isInScope(long id, ByteBuffer record, int at) {
    return switch (scope) {
      case BASE -> id == baseId;
      case ONE_LEVEL -> record.getLong(at + EntryRecord.PARENT_ID_AT) == baseId;
      case SUBTREE -> coversStore || id == baseId || isBelow(record, at);
      case SUBORDINATE -> id != baseId && (coversStore || isBelow(record, at));
    };
  }

  private boolean isBelow(ByteBuffer record, int at) {
    long parentId = record.getLong(at + EntryRecord.PARENT_ID_AT);
    if (parentId != scopeParent) {
      scopeAnswer = reader.parents().isWithin(parentId, baseId);
      scopeParent = parentId;
    }
    return scopeAnswer;
  }

  private void show(EntryView view, long id, ByteBuffer record, int at) {
    long parentId = record.getLong(at + EntryRecord.PARENT_ID_AT);
    if (parentId != dnParent) {
      parentDn = reader.parents().dn(parentId);
      dnParent = parentId;
    }
    view.wrap(id, record, at, parentDn);
    if ((view.flags() & EntryRecord.LARGE) != 0) {
      view.largeSource(reader);
    }
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public long examined() {
    return examined;
  }

  @Override
  public boolean isExact() {
    return exact;
  }

  @Override
  public void close() {
    mode = Mode.FREE;
    node = AllNode.TRUE;
  }

  /** Whether the entries in scope are looked up as well, so that only those are candidates. */
  boolean isNarrowed() {
    return isNarrowed;
  }

  /** Frees what LMDB holds for the cursor; the reader is done for. */
  void dispose() {
    close();
    records.close();
  }
}
