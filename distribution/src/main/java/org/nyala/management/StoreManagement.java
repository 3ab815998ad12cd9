package org.nyala.management;

import java.util.List;
import org.nyala.lmdb.LmdbBackend;

/** The store of a running server as JMX sees it. Thread-safe. */
public final class StoreManagement implements StoreMXBean {
  private static final double PERCENT = 100;

  private final LmdbBackend store;

  /** Creates the bean. */
  public StoreManagement(LmdbBackend store) {
    this.store = store;
  }

  @Override
  public long getEntries() {
    return store.status().entries();
  }

  @Override
  public long getMapBytes() {
    return store.status().mapBytes();
  }

  @Override
  public long getMaximumBytes() {
    return store.status().maximumBytes();
  }

  @Override
  public long getUsedBytes() {
    return store.status().usedBytes();
  }

  @Override
  public double getHeadRoomPercent() {
    var status = store.status();
    return PERCENT - PERCENT * status.usedBytes() / status.maximumBytes();
  }

  @Override
  public int getReaders() {
    return store.status().readers();
  }

  @Override
  public int getMaximumReaders() {
    return store.status().maximumReaders();
  }

  @Override
  public int getOpenReads() {
    return store.status().reading();
  }

  @Override
  public long getOldestReadBehind() {
    return store.status().oldestReadBehind();
  }

  @Override
  public long getLastTransaction() {
    return store.status().transactions();
  }

  @Override
  public long getChanges() {
    return store.status().changes();
  }

  @Override
  public long getLargestCommit() {
    return store.status().largestCommit();
  }

  @Override
  public OperationsMXBean.Times getCommits() {
    return OperationsManagement.times(store.status().commits());
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
