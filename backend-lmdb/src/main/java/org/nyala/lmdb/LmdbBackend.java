package org.nyala.lmdb;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.ExtendedSchema;
import org.nyala.core.schema.Schema;

/**
 * The store of one data directory, on LMDB.
 *
 * <p>Thread-safe. Each platform thread keeps one reader, which goes to another thread when its own
 * has ended; virtual threads, of which there are many for a short time, share a list of readers,
 * and wait where they would take more than half of what LMDB has.
 *
 * <p>A read that begins while the store is closed never touches memory that LMDB has given back: a
 * reader first says that it reads and then looks whether the store is closed, and {@link #close}
 * first says that it is closed and then waits for the readers that say so.
 */
public final class LmdbBackend implements Backend {
  private static final int CLOSE_WAIT_MILLIS = 5000;

  /** How long reads may hold up a growing map; they take milliseconds. */
  private static final int RESIZE_WAIT_MILLIS = 2000;

  /** What a read finds that is about to begin. */
  private enum Gate {
    OPEN,
    PAUSED,
    CLOSED
  }

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
  private volatile ExtendedSchema extended;
  private final ThreadLocal<LmdbReader> ofThread = ThreadLocal.withInitial(this::claimForThread);
  private final Object lock = new Object();
  private final List<Owned> readers = new ArrayList<>();
  private final int sharedMaximum;
  private int shared;
  private int waitingForShared;
  private @Nullable LmdbReader free;
  private volatile StoreLayout layout;
  private volatile Gate gate = Gate.OPEN;
  private boolean released;
  private final ReentrantLock writing = new ReentrantLock(true);
  private final MapSize mapSize;
  private @Nullable LmdbWriter writer;

  private LmdbBackend(
      LmdbEnvironment environment,
      ExtendedSchema extended,
      StoreLayout layout,
      LmdbSettings settings) {
    this.environment = environment;
    this.sharedMaximum = settings.maximumReaders() / 2;
    this.mapSize = new MapSize(environment, settings.maximumMapSizeBytes(), this::resize);
    this.extended = extended;
    this.layout = layout;
  }

  /**
   * Creates a store without entries, aside first: there is all of it or nothing.
   *
   * @param directory where to; made when it does not exist
   * @param suffixes the DNs of the naming contexts' top entries
   * @throws StoreException when the directory holds a store already, a suffix is no DN, or one is
   *     above another
   */
  public static void create(
      Path directory,
      Schema schema,
      List<String> suffixes,
      List<IndexDefinition> indexes,
      LmdbSettings settings) {
    StoreMeta meta = StoreMeta.empty(suffixes, indexes);
    new StoreLayout(meta, schema).requireApart();
    try (ImportDirectory aside = ImportDirectory.prepare(directory, false)) {
      try (LmdbEnvironment environment = LmdbEnvironment.create(aside.building(), settings);
          Txn<ByteBuffer> txn = environment.beginWrite()) {
        meta.write(environment, txn);
        txn.commit();
      }
      aside.swap();
    } catch (IOException e) {
      throw new StoreException("cannot make a store in " + directory + ": " + e, e);
    }
  }

  /**
   * Opens the store of a data directory.
   *
   * @param schema the schema of the files, which the store may extend: see {@link #extendedSchema}
   * @throws StoreException when there is none, it is in use, of another format, or does not suit
   *     the schema
   */
  public static LmdbBackend open(Path directory, Schema schema, LmdbSettings settings) {
    LmdbEnvironment environment = LmdbEnvironment.open(directory, settings);
    try (Txn<ByteBuffer> txn = environment.beginRead()) {
      ExtendedSchema extended = StoredSchema.read(environment, txn, schema);
      StoreMeta meta = StoreMeta.read(environment, txn, extended.schema());
      StoreLayout layout = new StoreLayout(meta, extended.schema());
      return new LmdbBackend(environment, extended, layout, settings);
    } catch (RuntimeException e) {
      environment.close();
      throw e;
    }
  }

  /**
   * The definitions that the store of a data directory keeps, beside a schema of files.
   *
   * @throws StoreException when it cannot be read
   */
  public static ExtendedSchema definitions(Path directory, Schema schema, LmdbSettings settings) {
    try (LmdbEnvironment environment = LmdbEnvironment.open(directory, settings.asReadOnly());
        Txn<ByteBuffer> txn = environment.beginRead()) {
      return StoredSchema.read(environment, txn, schema);
    }
  }

  @Override
  public ExtendedSchema extendedSchema() {
    return extended;
  }

  /** Reads by another schema from now on. */
  void use(ExtendedSchema other) {
    extended = other;
  }

  private Schema schema() {
    return extended.schema();
  }

  @Override
  public List<Dn> namingContexts() {
    return layout.suffixes();
  }

  @Override
  public ReadTransaction beginRead() {
    while (true) {
      if (gate != Gate.OPEN) {
        awaitOpen();
      }
      LmdbReader reader = Thread.currentThread().isVirtual() ? takeFree() : ofThread.get();
      if (reader.begin()) {
        return reader;
      }
      release(reader);
    }
  }

  /** Waits while the map grows. */
  private void awaitOpen() {
    boolean isInterrupted = false;
    synchronized (lock) {
      while (gate == Gate.PAUSED) {
        try {
          lock.wait();
        } catch (InterruptedException _) {
          isInterrupted = true;
        }
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    requireOpen();
  }

  /** Sets the size of the map while nothing is read; false when a read does not end in time. */
  private boolean resize(long bytes) {
    synchronized (lock) {
      if (gate != Gate.OPEN) {
        return false;
      }
      gate = Gate.PAUSED;
      try {
        awaitQuiet(RESIZE_WAIT_MILLIS, this::isAnyReading);
        if (isAnyReading() || gate == Gate.CLOSED) {
          return false;
        }
        environment.env().setMapSize(bytes);
        return true;
      } catch (LmdbException e) {
        throw environment.unavailable(e);
      } finally {
        gate = gate == Gate.PAUSED ? Gate.OPEN : gate;
        lock.notifyAll();
      }
    }
  }

  @Override
  public WriteTransaction beginWrite() {
    if (environment.isReadOnly()) {
      throw new StoreUnavailableException("the store is open for reading only", null);
    }
    if (Thread.currentThread().isVirtual() || writing.isHeldByCurrentThread()) {
      throw new IllegalStateException(
          "a platform thread changes the store, in one transaction at a time");
    }
    writing.lock();
    boolean begun = false;
    try {
      requireOpen();
      LmdbWriter transaction = beginTransaction();
      begun = true;
      return transaction;
    } finally {
      if (!begun) {
        writing.unlock();
      }
    }
  }

  private LmdbWriter beginTransaction() {
    mapSize.prepare();
    Txn<ByteBuffer> txn = environment.beginChange();
    LmdbWriter known = writer;
    if (known != null) {
      known.begin(txn);
      return known;
    }
    boolean made = false;
    try {
      Schema schema = schema();
      StoreMeta meta = StoreMeta.read(environment, txn, schema);
      known = new LmdbWriter(this, schema, txn, meta, new StoreLayout(meta, schema));
      writer = known;
      made = true;
      return known;
    } finally {
      if (!made) {
        txn.close();
      }
    }
  }

  /** Lets the next transaction begin that changes the store. */
  void endWrite() {
    writing.unlock();
  }

  /** Takes the layout that a commit has made the current one. */
  void publish(StoreLayout committed) {
    layout = committed;
  }

  /** How large the map is. */
  MapSize mapSize() {
    return mapSize;
  }

  /** Whether reads have to wait. */
  boolean isPaused() {
    return gate == Gate.PAUSED;
  }

  /** Throws an {@link IllegalStateException} once the store is closed, or is about to be. */
  void requireOpen() {
    if (gate == Gate.CLOSED) {
      throw new IllegalStateException("the store is closed");
    }
  }

  /**
   * Adds naming contexts, without entries; those that are there already are left alone. To be
   * called before operations use the store.
   *
   * @throws StoreException when a suffix is no DN, or one is above another
   */
  public void addNamingContexts(List<String> suffixes) {
    List<String> missing = new ArrayList<>();
    try (WriteTransaction transaction = beginWrite()) {
      for (String suffix : suffixes) {
        if (!layout.suffixes().contains(StoreLayout.parse(schema(), suffix))) {
          missing.add(suffix);
        }
      }
      if (!missing.isEmpty() && transaction instanceof LmdbWriter mine) {
        mine.addSuffixes(missing);
        mine.commit();
      }
    }
  }

  /** How many entries the store has now. */
  public long entryCount() {
    return status().entries();
  }

  /** How full it is, and how much it is read. */
  public StoreStatus status() {
    synchronized (lock) {
      requireOpen();
      return StoreStatus.of(environment, mapSize.maximum(), readers.stream().map(Owned::reader));
    }
  }

  /** How the data is indexed now. */
  public List<IndexDefinition> indexes() {
    synchronized (lock) {
      requireOpen();
      try (Txn<ByteBuffer> txn = environment.beginRead()) {
        return StoreMeta.read(environment, txn, schema()).indexes();
      }
    }
  }

  /**
   * Begins to build an index, as far as it is not there; {@link #workOnIndexes} goes on with it.
   * Readers use it when it is complete.
   *
   * @throws IllegalArgumentException when the schema does not allow it by now
   */
  public void addIndex(IndexDefinition definition) {
    changeIndexes(definition, IndexPlan::adding);
  }

  /**
   * Gives an index up: readers use it no more. {@link #workOnIndexes} deletes its keys.
   *
   * @throws IllegalArgumentException when the schema does not know it by now
   */
  public void dropIndex(IndexDefinition definition) {
    changeIndexes(definition, (plan, current) -> plan.dropping(current, false));
  }

  /**
   * Gives an index up and builds it anew, with {@link #workOnIndexes}.
   *
   * @throws IllegalArgumentException when the schema does not allow it by now
   */
  public void rebuildIndex(IndexDefinition definition) {
    changeIndexes(definition, (plan, current) -> plan.dropping(current, true));
  }

  /* By the schema of the transaction: a store whose indexes are on what another change of the schema
   * has deleted since the definition was made could not be opened again. */
  private void changeIndexes(
      IndexDefinition definition, BiFunction<IndexPlan, IndexDefinition, IndexPlan> change) {
    try (WriteTransaction transaction = beginWrite()) {
      if (transaction instanceof LmdbWriter mine) {
        IndexDefinition current =
            IndexDefinition.parse(schema(), definition.type().oid(), definition.kindsText());
        mine.indexPlan(change.apply(mine.indexPlan(), current));
        mine.commit();
      }
    }
  }

  /**
   * Does a part of the work on indexes, in a transaction of its own that takes some milliseconds.
   *
   * @return whether there is more to do
   */
  public boolean workOnIndexes() {
    try (WriteTransaction transaction = beginWrite()) {
      boolean isMore = transaction instanceof LmdbWriter mine && mine.workOnIndexes();
      transaction.commit();
      return isMore;
    }
  }

  /** How far the work on indexes has come; empty when there is none. */
  public List<IndexProgress> indexProgress() {
    synchronized (lock) {
      requireOpen();
      try (Txn<ByteBuffer> txn = environment.beginRead()) {
        StoreMeta meta = StoreMeta.read(environment, txn, schema());
        return IndexWorker.progress(meta.indexPlan(), meta.nextEntryId() - 1);
      }
    }
  }

  private LmdbReader claimForThread() {
    synchronized (lock) {
      requireOpen();
      WeakReference<Thread> owner = new WeakReference<>(Thread.currentThread());
      for (int i = 0; i < readers.size(); i++) {
        if (readers.get(i).isOrphan() && !readers.get(i).reader().isReading()) {
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
      requireOpen();
      awaitShared();
      LmdbReader reader = free;
      if (reader == null) {
        LmdbReader added = add(null);
        shared++;
        return added;
      }
      free = reader.nextFree();
      reader.linkFree(null);
      return reader;
    }
  }

  /** Waits for a reader to be given back where there cannot be more. */
  private void awaitShared() {
    boolean isInterrupted = false;
    while (free == null && shared >= sharedMaximum) {
      waitingForShared++;
      try {
        lock.wait();
      } catch (InterruptedException _) {
        isInterrupted = true;
      } finally {
        waitingForShared--;
      }
      requireOpen();
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
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
        wakeForShared();
      }
    }
  }

  private void wakeForShared() {
    if (waitingForShared > 0) {
      lock.notifyAll();
    }
  }

  /** Gives up a reader that can read no more; the next read gets another one. */
  void drop(LmdbReader reader) {
    if (!Thread.currentThread().isVirtual()) {
      ofThread.remove();
    }
    synchronized (lock) {
      readers.removeIf(owned -> owned.reader() == reader);
      reader.dispose();
      if (Thread.currentThread().isVirtual()) {
        shared--;
        wakeForShared();
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
    Schema schema = schema();
    StoreLayout fresh = new StoreLayout(StoreMeta.read(environment, slot.txn(), schema), schema);
    layout = fresh;
    return fresh;
  }

  /**
   * The environment, for tools of this package. Whoever reads through it while the store is changed
   * must see to it that the map is not resized meanwhile.
   */
  LmdbEnvironment environment() {
    return environment;
  }

  /**
   * Closes the store once the reads that are open have ended, for which it waits a few seconds.
   * Idempotent.
   *
   * @throws IllegalStateException when a read does not end. If it is one of the calling thread,
   *     nothing has changed; otherwise no more reads begin, and the store is to be closed again.
   */
  @Override
  public void close() {
    close(CLOSE_WAIT_MILLIS);
  }

  /** Closes as {@link #close()} does, but waits another time. */
  void close(int waitMillis) {
    synchronized (lock) {
      if (!released) {
        requireNoOwnRead();
        gate = Gate.CLOSED;
        lock.notifyAll();
        awaitQuiet(waitMillis, this::isAnythingOpen);
        if (isAnythingOpen()) {
          throw new IllegalStateException(
              "a read of the store has not ended within " + waitMillis + " ms: it stays open");
        }
        freeEverything();
      }
    }
  }

  private void requireNoOwnRead() {
    if (writing.isHeldByCurrentThread()) {
      throw new IllegalStateException("the store is closed while the same thread changes it");
    }
    for (Owned owned : readers) {
      WeakReference<Thread> owner = owned.owner();
      boolean isOwn = owner != null && owner.refersTo(Thread.currentThread());
      if (isOwn && owned.reader().isReading()) {
        throw new IllegalStateException("the store is closed while the same thread reads it");
      }
    }
  }

  /* Waiting gives the lock back, which readers need to end. They do not notify: ending a read must
   * not cost a lock for what happens once. */
  private void awaitQuiet(int waitMillis, BooleanSupplier isBusy) {
    boolean isInterrupted = false;
    for (int i = 0; i < waitMillis && isBusy.getAsBoolean(); i++) {
      try {
        lock.wait(1);
      } catch (InterruptedException _) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether a read is open, or a transaction that changes the store. */
  private boolean isAnythingOpen() {
    return isAnyReading() || writing.isLocked();
  }

  private boolean isAnyReading() {
    for (Owned owned : readers) {
      if (owned.reader().isReading()) {
        return true;
      }
    }
    return false;
  }

  private void freeEverything() {
    if (released) {
      return;
    }
    released = true;
    readers.forEach(owned -> owned.reader().dispose());
    readers.clear();
    free = null;
    environment.close();
  }
}
