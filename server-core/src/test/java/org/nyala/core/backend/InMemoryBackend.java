package org.nyala.core.backend;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.integrity.References;
import org.nyala.core.schema.Schema;

/**
 * A store in memory that examines every entry, the reference for other stores. Thread-safe.
 *
 * <p>Entry ids are 1, 2, 3… in the order in which entries are given and added. A write transaction
 * works on a copy of everything, which replaces the original on commit.
 */
public final class InMemoryBackend implements Backend {
  private final Schema schema;
  private final boolean exact;
  private final List<Dn> namingContexts;
  private final AtomicInteger openReads = new AtomicInteger();
  private final Semaphore writing = new Semaphore(1);
  private volatile InMemoryState state;
  private volatile Runnable beforeCommit = () -> {};

  /** The contents at a moment. Immutable. */
  public static final class Backup {
    private final InMemoryState state;

    private Backup(InMemoryState state) {
      this.state = state;
    }
  }

  /**
   * Creates a store with the given entries, parents before children; cursors leave the test of the
   * filter to the caller.
   */
  public InMemoryBackend(Schema schema, List<Entry> entries) {
    this(schema, entries, false);
  }

  /**
   * Creates a store with the given entries; with {@code exact}, cursors test the filter themselves.
   */
  public InMemoryBackend(Schema schema, List<Entry> entries, boolean exact) {
    this(schema, InMemoryState.tops(entries), entries, exact);
  }

  /**
   * Creates a store with the given entries, parents before children, in the given naming contexts.
   */
  public InMemoryBackend(
      Schema schema, List<Dn> namingContexts, List<Entry> entries, boolean exact) {
    this.schema = schema;
    this.exact = exact;
    this.namingContexts = List.copyOf(namingContexts);
    InMemoryState initial = new InMemoryState(schema);
    entries.forEach(initial::add);
    this.state = initial;
  }

  /** Returns the flags of {@link EntryRecord} for the object classes of an entry. */
  public static int flags(Entry entry) {
    return InMemoryState.flags(entry);
  }

  /** Returns the number of reads that were begun and not closed. */
  public int openReads() {
    return openReads.get();
  }

  /** Returns all entries in the order of their ids; not to be changed. */
  public List<Entry> entries() {
    return state.entries();
  }

  /** Returns a backup. */
  public Backup backup() {
    return new Backup(new InMemoryState(state));
  }

  /** Replaces everything by a backup, which begins another history. */
  public void restore(Backup backup, Instant now) {
    InMemoryState restored = new InMemoryState(backup.state);
    restored.renewHistories(now);
    state = restored;
  }

  /**
   * Goes back to a state of the same history, as after a cut of power if what came later was not on
   * the disk.
   */
  public void lose(Backup kept) {
    state = new InMemoryState(kept.state);
  }

  /** Deletes the oldest changes of the journal, but for some. */
  public void trimJournal(int kept) {
    InMemoryState trimmed = new InMemoryState(state);
    trimmed.trim(kept);
    state = trimmed;
  }

  /**
   * Sets what runs before each commit.
   *
   * @param fault may throw, as a store does whose disk is full
   */
  public void beforeCommit(Runnable fault) {
    beforeCommit = fault;
  }

  @Override
  public List<Dn> namingContexts() {
    return namingContexts;
  }

  @Override
  public ReadTransaction beginRead() {
    openReads.incrementAndGet();
    return new Read(state);
  }

  @Override
  public WriteTransaction beginWrite() {
    writing.acquireUninterruptibly();
    return new Write(new InMemoryState(state));
  }

  @Override
  public void close() {
    if (openReads.get() != 0) {
      throw new IllegalStateException(openReads + " reads are open");
    }
  }

  private class Read implements ReadTransaction {
    private final Thread owner = Thread.currentThread();
    InMemoryState seen;
    boolean open = true;

    Read(InMemoryState seen) {
      this.seen = seen;
    }

    final void check() {
      if (!open || Thread.currentThread() != owner) {
        throw new IllegalStateException("a read is used after its end, or by another thread");
      }
    }

    @Override
    public long snapshot() {
      check();
      return seen.number();
    }

    @Override
    public AttributeTable attributes() {
      check();
      return seen.table();
    }

    @Override
    public long find(Dn dn) {
      check();
      return seen.find(dn);
    }

    @Override
    public int distanceToNearest(Dn dn) {
      check();
      for (int i = 0; i < dn.rdnCount(); i++) {
        if (seen.find(dn.ancestor(i)) != NO_ENTRY) {
          return i;
        }
      }
      return -1;
    }

    @Override
    public boolean read(long entryId, EntryView view) {
      check();
      return seen.read(entryId, view);
    }

    @Override
    public CsnVector contextCsns(long topId) {
      check();
      return seen.contextCsns(topId);
    }

    @Override
    public ChangeJournal journal(Dn name) {
      check();
      return seen.journal(name);
    }

    @Override
    public Promotion promotion(Dn suffix) {
      check();
      return seen.promotion(suffix);
    }

    @Override
    public ContextHistory history(Dn suffix) {
      check();
      return seen.history(suffix);
    }

    @Override
    public ContextEpochs epochs(Dn suffix) {
      check();
      return seen.epochs(suffix);
    }

    @Override
    public CopySource source(Dn suffix) {
      check();
      return seen.source(suffix);
    }

    @Override
    public LogMark logMark() {
      check();
      return seen.mark();
    }

    @Override
    public boolean hasSubordinates(long entryId) {
      check();
      return seen.subordinateCount(entryId) > 0;
    }

    @Override
    public EntryCursor search(SearchSpec spec, long afterEntryId) {
      check();
      return new Cursor(this, spec, afterEntryId);
    }

    @Override
    public void close() {
      if (open) {
        check();
        open = false;
        openReads.decrementAndGet();
      }
    }
  }

  private final class Write extends Read implements WriteTransaction {
    private final List<InMemoryState> part = new ArrayList<>();

    Write(InMemoryState copy) {
      super(copy);
    }

    @Override
    public long apply(ResolvedChange change, Csn csn) {
      check();
      return seen.apply(change, csn);
    }

    @Override
    public long apply(ResolvedChange change) {
      check();
      return seen.apply(change);
    }

    @Override
    public void note(Dn name, Csn csn) {
      check();
      seen.note(name, csn);
    }

    @Override
    public void raise(Dn name, CsnVector csns) {
      check();
      seen.raise(name, csns);
    }

    @Override
    public void note(Dn suffix, Promotion promotion) {
      check();
      seen.note(suffix, promotion);
    }

    @Override
    public void note(Dn suffix, ContextHistory history) {
      check();
      seen.note(suffix, history);
    }

    @Override
    public void note(Dn suffix, ContextEpochs epochs) {
      check();
      seen.note(suffix, epochs);
    }

    @Override
    public void noteSource(Dn suffix, CopySource source) {
      check();
      seen.noteSource(suffix, source);
    }

    @Override
    public void note(LogMark mark) {
      check();
      seen.note(mark);
    }

    @Override
    public long nextEntryId() {
      check();
      return seen.nextId();
    }

    @Override
    public void replace(Dn name, CsnVector csns) {
      check();
      seen.replace(name, csns);
    }

    @Override
    public void beginPart() {
      check();
      if (!part.isEmpty()) {
        throw new IllegalStateException("a part within a part");
      }
      part.add(new InMemoryState(seen));
    }

    @Override
    public void keepPart() {
      check();
      part.removeFirst();
    }

    @Override
    public void undoPart() {
      check();
      seen = part.removeFirst();
    }

    @Override
    public CsnVector largestCsns() {
      check();
      return seen.largestCsns();
    }

    @Override
    public void commit() {
      check();
      if (!part.isEmpty()) {
        throw new IllegalStateException("a part is open");
      }
      beforeCommit.run();
      state = new InMemoryState(seen);
    }

    @Override
    public void close() {
      if (open) {
        check();
        open = false;
        writing.release();
      }
    }
  }

  private final class Cursor implements EntryCursor {
    private final Read read;
    private final SearchSpec spec;
    private long position;
    private long examined;

    Cursor(Read read, SearchSpec spec, long afterEntryId) {
      this.read = read;
      this.spec = spec;
      this.position = afterEntryId;
    }

    @Override
    public Step next(EntryView view, int examineLimit) {
      read.check();
      if (examineLimit < 1) {
        throw new IllegalArgumentException("examineLimit " + examineLimit);
      }
      for (int i = 0; i < examineLimit; i++) {
        long next = read.seen.next(position);
        if (next == ReadTransaction.NO_ENTRY) {
          return Step.END;
        }
        position = next;
        examined++;
        read.read(next, view);
        if (isInScope(next, view.parentId()) && isWanted(view)) {
          return Step.ENTRY;
        }
      }
      return Step.LIMIT;
    }

    private boolean isWanted(EntryView view) {
      boolean referral = spec.withReferrals() && (view.flags() & EntryRecord.REFERRAL) != 0;
      boolean alias = spec.withAliases() && (view.flags() & EntryRecord.ALIAS) != 0;
      return !exact
          || referral
          || alias
          || new FilterMatcher(schema, _ -> true)
                  .match(
                      spec.filter(),
                      view,
                      read.attributes(),
                      new References(read, schema, 1000, Pace.UNBOUNDED))
              == Ternary.TRUE;
    }

    private boolean isInScope(long id, long parentId) {
      boolean isBase = id == spec.baseId();
      return switch (spec.scope()) {
        case BASE -> isBase;
        case ONE_LEVEL -> parentId == spec.baseId();
        case SUBTREE -> isBase || spec.baseId() == ReadTransaction.NO_ENTRY || isBelow(parentId);
        case SUBORDINATE -> isBelow(parentId);
      };
    }

    private boolean isBelow(long parentId) {
      if (spec.baseId() == 0) {
        return true;
      }
      for (long id = parentId; id != 0; id = read.seen.parentId(id)) {
        if (id == spec.baseId()) {
          return true;
        }
      }
      return false;
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
      read.check();
    }
  }
}
