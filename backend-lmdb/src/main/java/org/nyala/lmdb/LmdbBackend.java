package org.nyala.lmdb;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Txn;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.Schema;

/**
 * The store of one data directory, on LMDB.
 *
 * <p>Thread-safe. Each platform thread keeps one reader, which goes to another thread when its own
 * has ended; virtual threads, of which there are many for a short time, share a list of readers.
 */
public final class LmdbBackend implements Backend {
  private record Owned(LmdbReader reader, @Nullable WeakReference<Thread> owner) {
    boolean isOrphan() {
      if (owner == null) {
        return false;
      }
      Thread thread = owner.get();
      return thread == null || !thread.isAlive();
    }
  }

  private final LmdbEnvironment environment;
  private final Schema schema;
  private final ThreadLocal<LmdbReader> ofThread = ThreadLocal.withInitial(this::claimForThread);
  private final Object lock = new Object();
  private final List<Owned> readers = new ArrayList<>();
  private @Nullable LmdbReader free;
  private volatile StoreLayout layout;
  private volatile boolean closed;

  private LmdbBackend(LmdbEnvironment environment, Schema schema, StoreLayout layout) {
    this.environment = environment;
    this.schema = schema;
    this.layout = layout;
  }

  /**
   * Opens the store of a data directory.
   *
   * @throws StoreException when there is none, it is in use, of another format, or does not suit
   *     the schema
   */
  public static LmdbBackend open(Path directory, Schema schema, LmdbSettings settings) {
    LmdbEnvironment environment = LmdbEnvironment.open(directory, settings);
    try (Txn<ByteBuffer> txn = environment.beginRead()) {
      StoreMeta meta = StoreMeta.read(environment, txn, schema);
      return new LmdbBackend(environment, schema, new StoreLayout(meta, schema));
    } catch (RuntimeException e) {
      environment.close();
      throw e;
    }
  }

  @Override
  public List<Dn> namingContexts() {
    return layout.suffixes();
  }

  @Override
  public ReadTransaction beginRead() {
    if (closed) {
      throw new IllegalStateException("the store is closed");
    }
    LmdbReader reader = Thread.currentThread().isVirtual() ? takeFree() : ofThread.get();
    reader.begin();
    return reader;
  }

  /** How many entries the store has now. */
  public long entryCount() {
    try (Txn<ByteBuffer> txn = environment.beginRead()) {
      return environment.entryCount(txn);
    }
  }

  /** How the data is indexed now. */
  public List<IndexDefinition> indexes() {
    try (Txn<ByteBuffer> txn = environment.beginRead()) {
      return StoreMeta.read(environment, txn, schema).indexes();
    }
  }

  private LmdbReader claimForThread() {
    synchronized (lock) {
      WeakReference<Thread> owner = new WeakReference<>(Thread.currentThread());
      for (int i = 0; i < readers.size(); i++) {
        if (readers.get(i).isOrphan() && !readers.get(i).reader().isOpen()) {
          LmdbReader reader = readers.get(i).reader();
          readers.set(i, new Owned(reader, owner));
          return reader;
        }
      }
      return add(owner);
    }
  }

  private LmdbReader takeFree() {
    synchronized (lock) {
      LmdbReader reader = free;
      if (reader == null) {
        return add(null);
      }
      free = reader.nextFree();
      reader.linkFree(null);
      return reader;
    }
  }

  private LmdbReader add(@Nullable WeakReference<Thread> owner) {
    LmdbReader reader = new LmdbReader(this, environment, layout);
    readers.add(new Owned(reader, owner));
    return reader;
  }

  /** Takes a reader back after a read. */
  void release(LmdbReader reader) {
    if (Thread.currentThread().isVirtual()) {
      synchronized (lock) {
        reader.linkFree(free);
        free = reader;
      }
    }
  }

  /** The layout of a snapshot: the known one while the meta data's generation is the same. */
  StoreLayout layoutFor(ReadSlot slot, StoreLayout known) {
    long generation = StoreMeta.generation(environment, slot.txn());
    if (generation == known.generation()) {
      return known;
    }
    StoreLayout shared = layout;
    if (generation == shared.generation()) {
      return shared;
    }
    StoreLayout fresh = new StoreLayout(StoreMeta.read(environment, slot.txn(), schema), schema);
    layout = fresh;
    return fresh;
  }

  /** The environment, for tools of this package. */
  LmdbEnvironment environment() {
    return environment;
  }

  @Override
  public void close() {
    synchronized (lock) {
      if (closed) {
        return;
      }
      for (Owned owned : readers) {
        if (owned.reader().isOpen()) {
          throw new IllegalStateException("the store is closed while a read is open");
        }
      }
      closed = true;
      readers.forEach(owned -> owned.reader().dispose());
      readers.clear();
      environment.close();
    }
  }
}
