package org.nyala.management;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nyala.core.backend.Csn;
import org.nyala.core.metrics.Latency;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.admin.StoreSpace;
import org.nyala.management.bean.OperationsMXBean;
import org.nyala.management.bean.StoreMXBean;

/** The store of a running server as JMX shows it. Thread-safe. */
public final class StoreManagement implements StoreMXBean {
  private static final double PERCENT = 100;

  /** The time for which a measurement of indexes is valid, as it reads some pages of each. */
  private static final long MEASURED_FOR_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final ServerComponents parts;
  private final LmdbBackend store;
  private List<IndexSize> measured = List.of();
  private long measuredNanos;
  private boolean isMeasured;

  public StoreManagement(ServerComponents parts) {
    this.parts = parts;
    this.store = parts.store();
  }

  @Override
  public long getEntries() {
    return store.status().entries();
  }

  @Override
  public long getMapBytes() {
    return store.status().space().mapBytes();
  }

  @Override
  public long getMaximumBytes() {
    return store.status().space().maximumBytes();
  }

  @Override
  public long getUsedBytes() {
    return store.status().space().usedBytes();
  }

  @Override
  public double getHeadRoomPercent() {
    var status = store.status();
    return PERCENT - PERCENT * status.space().usedBytes() / status.space().maximumBytes();
  }

  @Override
  public int getReaders() {
    return store.status().readers().slots();
  }

  @Override
  public int getMaximumReaders() {
    return store.status().readers().maximumSlots();
  }

  @Override
  public int getOpenReads() {
    return store.status().readers().reading();
  }

  @Override
  public long getOldestReadBehind() {
    return store.status().oldestRead().behind();
  }

  @Override
  public int getOtherReads() {
    return store.status().readers().readingElsewhere();
  }

  @Override
  public long getOldestReadSeconds() {
    return TimeUnit.NANOSECONDS.toSeconds(store.status().oldestRead().nanos());
  }

  @Override
  public long getOldestReadProcess() {
    return store.status().oldestRead().process();
  }

  @Override
  public long getFreePages() {
    return StoreSpace.of(store).free();
  }

  @Override
  public long getPagesHeldBack() {
    return StoreSpace.of(store).heldBack();
  }

  @Override
  public int getPageBytes() {
    return store.status().space().pageBytes();
  }

  @Override
  public long getLastTransaction() {
    return store.status().transactions();
  }

  @Override
  public long getChanges() {
    return store.status().commits().changes();
  }

  @Override
  public int getWaitingChanges() {
    return parts.updatesQueued().getAsInt();
  }

  @Override
  public long getRefusedChanges() {
    return parts.updatesRefused().getAsLong();
  }

  @Override
  public long getLargestCommit() {
    return store.status().commits().largest();
  }

  @Override
  public OperationsMXBean.Times getCommits() {
    return OperationsManagement.times(store.status().commits().durations());
  }

  @Override
  public long getLastCommitMillis() {
    return store.status().commits().lastMillis();
  }

  @Override
  public long getCommitFailures() {
    return store.status().commits().failures().count();
  }

  @Override
  public String getLastCommitFailure() {
    return store.status().commits().failures().reason();
  }

  @Override
  public long getLastCommitFailureMillis() {
    return store.status().commits().failures().lastMillis();
  }

  @Override
  public boolean isFailing() {
    return store.status().commits().failures().isLasting();
  }

  @Override
  public long getJournalChanges() {
    return store.status().journal().changes();
  }

  @Override
  public long getJournalBytes() {
    return store.status().journal().bytes();
  }

  @Override
  public long getJournalOldestMillis() {
    return store.status().journal().oldestMillis();
  }

  @Override
  public String getJournalNewestCsn() {
    Csn newest = store.status().journal().newest();
    return newest == null ? "" : newest.toString();
  }

  @Override
  public Sizes getCommitSizes() {
    Latency sizes = store.status().commits().sizes();
    return new Sizes(
        sizes.count(),
        TimeUnit.NANOSECONDS.toMicros(sizes.sumNanos()),
        percentile(sizes, 0.5),
        percentile(sizes, 0.9),
        percentile(sizes, 0.99),
        percentile(sizes, 0.999));
  }

  /** Returns a percentile; a change is recorded as a microsecond. */
  private static long percentile(Latency sizes, double fraction) {
    return TimeUnit.NANOSECONDS.toMicros(sizes.percentileNanos(fraction));
  }

  @Override
  public synchronized List<IndexSize> getIndexSizes() {
    long now = parts.directory().nanoTime();
    if (!isMeasured || now - measuredNanos > MEASURED_FOR_NANOS) {
      measured =
          StoreSpace.indexes(store).stream()
              .map(size -> new IndexSize(size.index(), size.keys(), size.bytes()))
              .toList();
      measuredNanos = now;
      isMeasured = true;
    }
    return measured;
  }

  @Override
  public List<String> getIndexes() {
    return store.indexes().stream().map(Object::toString).sorted().toList();
  }

  @Override
  public List<String> getIndexWork() {
    return store.indexProgress().stream().map(Object::toString).toList();
  }
}
