package org.nyala.management;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nyala.core.backend.Csn;
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
  public double getHeadRoomPercent() {
    var status = store.status();
    return PERCENT - PERCENT * status.space().usedBytes() / status.space().maximumBytes();
  }

  @Override
  public OperationsMXBean.Times getCommits() {
    return OperationsManagement.times(store.status().commits().durations());
  }

  @Override
  public String getLastCommitFailure() {
    return store.status().commits().failures().reason();
  }

  @Override
  public String getJournalNewestCsn() {
    Csn newest = store.status().journal().newest();
    return newest == null ? "" : newest.toString();
  }

  @Override
  public Sizes getCommitSizes() {
    // Sizes are counted as if they were microseconds.
    var sizes = OperationsManagement.times(store.status().commits().sizes());
    return new Sizes(
        sizes.count(),
        sizes.totalMicros(),
        sizes.medianMicros(),
        sizes.percentile90Micros(),
        sizes.percentile99Micros(),
        sizes.percentile999Micros());
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
