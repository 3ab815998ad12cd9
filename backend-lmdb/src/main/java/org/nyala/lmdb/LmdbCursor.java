package org.nyala.lmdb;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.SearchProgress;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.posting.BlockSet;
import org.nyala.lmdb.posting.PostingReader;
import org.nyala.lmdb.search.AllNode;
import org.nyala.lmdb.search.CachedLookup;
import org.nyala.lmdb.search.CandidateNode;
import org.nyala.lmdb.search.KeptPlan;
import org.nyala.lmdb.search.PostingLeaf;

/**
 * A cursor over the base entry, over candidates block by block, over the one entry that a search
 * like this one led to before, or over all records, whichever the plan calls for; scope is checked
 * on the record.
 *
 * <p>Confined to one running operation. Hot. Belongs to its reader, which uses it again.
 */
public final class LmdbCursor implements EntryCursor {
  private enum Mode {
    FREE,
    BASE,
    CANDIDATES,
    POINT,
    ALL,
    DONE
  }

  private static final CompiledFilter MATCH_ALL = CompiledFilter.Constant.TRUE;

  private final LmdbSnapshot reader;
  private final SeekCursor records;
  private final PostingLeaf point;
  private final CachedLookup remembered;
  private final PostingReader postings;
  private final CursorPlan plan;

  private Mode mode = Mode.FREE;
  private CandidateNode node = AllNode.TRUE;
  private BlockSet set = new BlockSet();
  private Scope scope = Scope.BASE;
  private long baseId;
  private boolean exact;
  private boolean isResumable;
  private boolean isScan;

  private long position;
  private long examined;
  private long block;
  private long recordsAt;

  private long scopeParent;
  private boolean scopeAnswer;
  private long dnParent;
  private byte[] parentDn = {};

  LmdbCursor(
      LmdbSnapshot reader,
      SeekCursor records,
      PostingReader postings,
      PostingLeaf point,
      CachedLookup remembered) {
    this.reader = reader;
    this.records = records;
    this.postings = postings;
    this.point = point;
    this.remembered = remembered;
    this.plan = new CursorPlan(reader, postings, point, remembered);
  }

  /** Returns whether the cursor is unused. */
  boolean isFree() {
    return mode == Mode.FREE;
  }

  /** Starts a walk after an entry id, to its end in one snapshot. */
  LmdbCursor open(SearchSpec spec, long afterEntryId) {
    return open(spec, afterEntryId, null, false);
  }

  /**
   * Starts a walk after an entry id that can be continued later, with the state that the search has
   * kept.
   */
  LmdbCursor goOn(SearchSpec spec, long afterEntryId, @Nullable KeptPlan kept) {
    return open(spec, afterEntryId, kept, true);
  }

  private LmdbCursor open(
      SearchSpec spec, long afterEntryId, @Nullable KeptPlan kept, boolean mayGoOn) {
    scope = spec.scope();
    baseId = spec.baseId();
    position = afterEntryId;
    examined = 0;
    recordsAt = 0;
    scopeParent = -1;
    dnParent = -1;
    isResumable = mayGoOn;
    isScan = false;
    plan.begin(spec, kept);
    if (scope == Scope.BASE) {
      mode = afterEntryId < baseId ? Mode.BASE : Mode.DONE;
      exact = spec.filter().equals(MATCH_ALL);
      return this;
    }
    set.clear();
    block = IndexKeys.block(afterEntryId + 1) & 0xffff_ffffL;
    if (kept == null || !takeUp(kept)) {
      replan(block);
    }
    return this;
  }

  /**
   * Continues at the point where the previous slice stopped; false if there is nothing to continue.
   */
  private boolean takeUp(KeptPlan kept) {
    if (kept.isScan()) {
      node = AllNode.UNINDEXED;
      exact = kept.isExactScan();
      mode = Mode.ALL;
      isScan = !exact;
      return true;
    }
    BlockSet rest = kept.takeRest(block);
    if (rest == null) {
      return false;
    }
    reader.planner().scratch().put(set);
    set = rest;
    set.startFrom((int) (position + 1 & 0xffff));
    exact = kept.isExactRest(reader.snapshot());
    mode = Mode.CANDIDATES;
    return true;
  }

  private void replan(long from) {
    node = plan.make(from, position);
    exact = node.isExact();
    if (plan.isRemembered()) {
      mode = Mode.POINT;
    } else {
      mode = node instanceof AllNode ? Mode.ALL : Mode.CANDIDATES;
      isScan |= mode == Mode.ALL && !exact;
    }
    // The next block to load is the one after this.
    block = from - 1;
  }

  @Override
  public Step next(EntryView view, int examineLimit) {
    plan.collect(examined);
    if (mode == Mode.ALL && plan.isStale()) {
      replan(IndexKeys.block(position + 1) & 0xffff_ffffL);
    }
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
    long lookupsBefore = postings.lookups();
    while (left > 0) {
      int low = set.next();
      if (low < 0) {
        if (!nextBlock()) {
          rememberPoint();
          mode = Mode.DONE;
          return Step.END;
        }
        if (mode == Mode.ALL) {
          return nextRecord(view, left);
        }
        // A block costs something even if none of its entries are left.
        if (set.isEmpty()) {
          left--;
          examined++;
        }
        if (isResumable && plan.isMuch(postings.lookups() - lookupsBefore)) {
          return Step.LIMIT;
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

  /* Not if several entries have the value and only one of them is in scope. */
  private void rememberPoint() {
    if (node == point && examined == 1 && recordsAt == position) {
      remembered.remember(position, records.value());
    }
  }

  /**
   * Moves to the next id that has an entry: a NOT contains ids that no entry has, up to the end of
   * each block.
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
    long from = Math.max(block + 1, first);
    if (plan.isDue()) {
      replan(from);
      if (mode == Mode.ALL) {
        position = Math.max(position, (from << 16) - 1);
        recordsAt = 0;
        return true;
      }
    }
    long next = node.nextBlock(from);
    if (next == CandidateNode.NONE) {
      return false;
    }
    node.load(next, set);
    set.startFrom(next == first ? (int) (position + 1 & 0xffff) : 0);
    block = next;
    if (set.isEmpty()) {
      position = next << 16 | 0xffff;
    } else if (next > first) {
      position = (next << 16) - 1;
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
      case SUBTREE -> plan.coversStore() || id == baseId || isBelow(record, at);
      case SUBORDINATE -> id != baseId && (plan.coversStore() || isBelow(record, at));
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
  public boolean isScan() {
    return isScan;
  }

  @Override
  public @Nullable SearchProgress progress() {
    if (mode == Mode.CANDIDATES && plan.isCostly() && set.hasNext()) {
      plan.requireKept().keepRest(set, block, reader.snapshot(), exact);
      set = reader.planner().scratch().take();
      set.clear();
    } else if (mode == Mode.ALL && !plan.isUnsettled()) {
      plan.requireKept().scan(exact);
    }
    return plan.handOn();
  }

  @Override
  public void close() {
    mode = Mode.FREE;
    node = AllNode.TRUE;
    plan.end();
  }

  /**
   * Returns whether the entries in scope are looked up as well, so that only those are candidates.
   */
  public boolean isNarrowed() {
    return plan.isNarrowed();
  }

  /** Frees LMDB's resources of the cursor; the reader cannot be used afterwards. */
  void dispose() {
    close();
    records.close();
  }
}
