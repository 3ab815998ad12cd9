package org.nyala.loadtest.caching;

import java.nio.ByteBuffer;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;

/** A cursor over candidates, of which each record is checked for the scope. */
final class CachingCursor implements EntryCursor {
  private final SearchSpec spec;
  private final RecordReader records;
  private final ParentNames parents;
  private final Candidates candidates;
  private final boolean coversStore;
  private long position;
  private long examined;
  private long shownParent = -1;
  private boolean isShownWithin;
  private byte[] shownParentDn = {};

  /** Starts a walk after an entry id; {@code coversStore} if all entries are below the base. */
  CachingCursor(
      SearchSpec spec,
      long afterEntryId,
      RecordReader records,
      ParentNames parents,
      Candidates candidates,
      boolean coversStore) {
    this.spec = spec;
    this.position = afterEntryId;
    this.records = records;
    this.parents = parents;
    this.candidates = candidates;
    this.coversStore = coversStore;
  }

  @Override
  public Step next(EntryView view, int examineLimit) {
    for (int left = examineLimit; left > 0; left--) {
      long id = candidates.next(position + 1);
      if (id == Candidates.NONE) {
        return Step.END;
      }
      position = id;
      examined++;
      byte[] record = records.read(id);
      if (record != null && show(view, id, ByteBuffer.wrap(record))) {
        return Step.ENTRY;
      }
    }
    return Step.LIMIT;
  }

  private boolean show(EntryView view, long id, ByteBuffer record) {
    long parentId = record.getLong(EntryRecord.PARENT_ID_AT);
    if (parentId != shownParent) {
      shownParent = parentId;
      isShownWithin = coversStore || parents.isWithin(parentId, spec.baseId(), records);
      shownParentDn = parents.dn(parentId, records);
    }
    if (!isInScope(id, parentId)) {
      return false;
    }
    view.wrap(id, record, 0, shownParentDn);
    return true;
  }

  private boolean isInScope(long id, long parentId) {
    return switch (spec.scope()) {
      case BASE -> id == spec.baseId();
      case ONE_LEVEL -> parentId == spec.baseId();
      case SUBTREE -> isShownWithin || id == spec.baseId();
      case SUBORDINATE -> isShownWithin && id != spec.baseId();
    };
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
    return spec.filter().equals(CompiledFilter.Constant.TRUE);
  }

  @Override
  public void close() {
    // The transaction closes the cursors of the store.
  }
}
