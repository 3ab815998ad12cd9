package org.nyala.loadtest.caching;

import java.nio.file.Path;
import java.util.List;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.StoreLayout;
import org.nyala.lmdb.format.StoreMeta;

/**
 * A store of Berkeley DB, with its cache, behind a cache of entries; only for reading. Thread-safe.
 */
public final class CachingBackend implements Backend {
  private final JeStore store;
  private final EntryCache cache;
  private final StoreLayout layout;
  private final ParentNames parents = new ParentNames();
  private final long lastId;
  private final long onlyTopId;
  private final boolean mayHoldReferralsOrAliases;

  private CachingBackend(JeStore store, Schema schema, int cachedEntries) {
    StoreMeta meta = JeMeta.read(store, schema);
    this.store = store;
    this.cache = new EntryCache(cachedEntries);
    this.layout = new StoreLayout(meta, schema);
    this.lastId = meta.nextEntryId() - 1;
    try (CachingReader reader = new CachingReader(this)) {
      List<Dn> tops = layout.suffixes();
      this.onlyTopId = tops.size() == 1 ? reader.find(tops.getFirst()) : ReadTransaction.NO_ENTRY;
      this.mayHoldReferralsOrAliases =
          reader.hasFlagged(EntryRecord.REFERRAL) || reader.hasFlagged(EntryRecord.ALIAS);
    }
  }

  /**
   * Opens a store that was loaded before.
   *
   * @param cachedEntries the most entries in the cache in front of it; 0 for none
   * @param cacheBytes the size of the cache of Berkeley DB
   * @throws StoreException if there is no complete store in the folder
   */
  public static CachingBackend open(
      Path folder, Schema schema, int cachedEntries, long cacheBytes) {
    JeStore store = JeStore.open(folder, cacheBytes);
    try {
      return new CachingBackend(store, schema, cachedEntries);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  JeStore store() {
    return store;
  }

  EntryCache cache() {
    return cache;
  }

  StoreLayout layout() {
    return layout;
  }

  ParentNames parents() {
    return parents;
  }

  long lastId() {
    return lastId;
  }

  /** Returns the entry that all others are below; 0 if there is none. */
  long onlyTopId() {
    return onlyTopId;
  }

  boolean mayHoldReferralsOrAliases() {
    return mayHoldReferralsOrAliases;
  }

  /** Returns the number of entries. */
  public long size() {
    return lastId;
  }

  @Override
  public List<Dn> namingContexts() {
    return layout.suffixes();
  }

  @Override
  public ReadTransaction beginRead() {
    return new CachingReader(this);
  }

  @Override
  public WriteTransaction beginWrite() {
    throw new StoreUnavailableException("the caching store is only for reading", null);
  }

  @Override
  public void close() {
    store.close();
  }
}
