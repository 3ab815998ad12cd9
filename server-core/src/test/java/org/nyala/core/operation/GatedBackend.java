package org.nyala.core.operation;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;

/** A store whose commits wait for permits, and fail on request. Thread-safe. */
public final class GatedBackend implements Backend {
  public final Semaphore commits = new Semaphore(0);
  public final CountDownLatch committing = new CountDownLatch(1);

  /** Returns the failure of a commit with a number of changes, or null. */
  volatile IntFunction<@Nullable RuntimeException> failure = _ -> null;

  private final Backend backend;

  public GatedBackend(Backend backend) {
    this.backend = backend;
  }

  @Override
  public List<Dn> namingContexts() {
    return backend.namingContexts();
  }

  @Override
  public ReadTransaction beginRead() {
    return backend.beginRead();
  }

  @Override
  public WriteTransaction beginWrite() {
    return new Gated(backend.beginWrite());
  }

  @Override
  public void close() {
    backend.close();
  }

  private final class Gated implements WriteTransaction {
    private final WriteTransaction transaction;
    private int applied;

    Gated(WriteTransaction transaction) {
      this.transaction = transaction;
    }

    @Override
    public void commit() {
      committing.countDown();
      commits.acquireUninterruptibly();
      RuntimeException e = failure.apply(applied);
      if (e != null) {
        throw e;
      }
      transaction.commit();
    }

    @Override
    public long apply(ResolvedChange change, Csn csn) {
      applied++;
      return transaction.apply(change, csn);
    }

    @Override
    public long apply(ResolvedChange change) {
      applied++;
      return transaction.apply(change);
    }

    @Override
    public void note(Dn name, Csn csn) {
      transaction.note(name, csn);
    }

    @Override
    public void note(Dn suffix, Promotion promotion) {
      transaction.note(suffix, promotion);
    }

    @Override
    public void raise(Dn name, CsnVector csns) {
      transaction.raise(name, csns);
    }

    @Override
    public void replace(Dn name, CsnVector csns) {
      transaction.replace(name, csns);
    }

    @Override
    public void beginPart() {
      transaction.beginPart();
    }

    @Override
    public void keepPart() {
      transaction.keepPart();
    }

    @Override
    public void undoPart() {
      transaction.undoPart();
    }

    @Override
    public CsnVector largestCsns() {
      return transaction.largestCsns();
    }

    @Override
    public Promotion promotion(Dn suffix) {
      return transaction.promotion(suffix);
    }

    @Override
    public CsnVector contextCsns(long topId) {
      return transaction.contextCsns(topId);
    }

    @Override
    public ChangeJournal journal(Dn name) {
      return transaction.journal(name);
    }

    @Override
    public AttributeTable attributes() {
      return transaction.attributes();
    }

    @Override
    public long find(Dn dn) {
      return transaction.find(dn);
    }

    @Override
    public int distanceToNearest(Dn dn) {
      return transaction.distanceToNearest(dn);
    }

    @Override
    public boolean read(long entryId, EntryView view) {
      return transaction.read(entryId, view);
    }

    @Override
    public boolean hasSubordinates(long entryId) {
      return transaction.hasSubordinates(entryId);
    }

    @Override
    public EntryCursor search(SearchSpec spec, long afterEntryId) {
      return transaction.search(spec, afterEntryId);
    }

    @Override
    public void close() {
      transaction.close();
    }
  }
}
