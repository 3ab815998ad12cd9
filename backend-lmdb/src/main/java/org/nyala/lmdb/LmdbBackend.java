package org.nyala.lmdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.StoreTransfer;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.MapSize;
import org.nyala.lmdb.env.StagedDirectory;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.StoreHealth;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.DefinedClasses;
import org.nyala.lmdb.format.DefinitionNotes;
import org.nyala.lmdb.format.DefinitionOrigins;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexPlan;
import org.nyala.lmdb.format.IndexProgress;
import org.nyala.lmdb.format.IndexUses;
import org.nyala.lmdb.format.StoreLayout;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.format.StoredSchema;
import org.nyala.lmdb.search.LookupCache;
import org.nyala.lmdb.search.PlanLimits;
import org.nyala.lmdb.search.PlanMemory;
import org.nyala.lmdb.write.IndexWorker;

/**
 * The store of one data directory, on LMDB.
 *
 * <p>Thread-safe: any number of threads read, each through a reader of its own, and one platform
 * thread at a time changes the store.
 */
public final class LmdbBackend implements Backend {

  private static final int CLOSE_WAIT_MILLIS = 5000;

  private final LmdbEnvironment environment;
  private final LmdbSettings settings;
  private volatile ExtendedSchema extended;
  private volatile StoreLayout layout;
  private final WriterGate gate;
  private final ReaderPool readers;
  private final MapSize mapSize;
  private final @Nullable LookupCache points;
  private final PlanMemory planMemory;
  private final IndexUses indexUses = new IndexUses();
  private @Nullable LmdbWriter writer;

  /** The number of the last transaction that was begun to change the store. */
  private volatile long begun;

  private LmdbBackend(
      LmdbEnvironment environment,
      ExtendedSchema extended,
      StoreLayout layout,
      LmdbSettings settings,
      PlanLimits limits) {
    this.environment = environment;
    this.settings = settings;
    this.gate = new WriterGate(environment);
    this.planMemory = new PlanMemory(settings.planMemoryBytes(), limits);
    this.points = LookupCache.of(settings.rememberedSearches(), Runtime.getRuntime().maxMemory());
    this.readers = new ReaderPool(settings.maximumReaders() / 2, this::newReader);
    this.mapSize = new MapSize(environment, settings.maximumMapSizeBytes(), this::resize);
    this.extended = extended;
    this.layout = layout;
  }

  /**
   * Creates a store without entries. It is built in a staging directory, so that either all of it
   * exists or nothing.
   *
   * @param directory the data directory; created if it does not exist
   * @param suffixes the DNs of the naming contexts' top entries
   * @throws StoreException if the directory holds a store already, a suffix is no DN, or one is
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
    try (StagedDirectory aside = StagedDirectory.prepare(directory, false)) {
      try (LmdbEnvironment environment = LmdbEnvironment.create(aside.building(), settings);
          Txn<ByteBuffer> txn = environment.beginWrite()) {
        meta.write(environment, txn);
        DefinitionOrigins.note(environment, txn, schema);
        txn.commit();
      }
      aside.swap();
    } catch (IOException e) {
      throw new StoreException(
          "cannot make a store in " + directory + ": " + FileFailures.reason(e), e);
    }
  }

  /**
   * Opens the store of a data directory.
   *
   * @param schema the schema of the files, which the store may extend: see {@link #extendedSchema}
   * @throws StoreException if there is none, it is in use, of another format, does not suit the
   *     schema, or the heap is too small for the caches
   */
  public static LmdbBackend open(Path directory, Schema schema, LmdbSettings settings) {
    return open(directory, schema, settings, PlanLimits.DEFAULT);
  }

  /** Opens the store of a data directory, with other bounds on what a search looks up. */
  public static LmdbBackend open(
      Path directory, Schema schema, LmdbSettings settings, PlanLimits limits) {
    LmdbEnvironment environment = LmdbEnvironment.open(directory, settings);
    try (Txn<ByteBuffer> txn = environment.beginRead()) {
      ExtendedSchema extended = StoredSchema.read(environment, txn, schema);
      StoreLayout layout = layout(environment, txn, extended);
      return new LmdbBackend(environment, extended, layout, settings, limits);
    } catch (RuntimeException e) {
      environment.close();
      throw e;
    }
  }

  private static StoreLayout layout(
      LmdbEnvironment environment, Txn<ByteBuffer> txn, ExtendedSchema extended) {
    StoreMeta meta = StoreMeta.read(environment, txn, extended.schema());
    return new StoreLayout(meta, extended.schema());
  }

  /**
   * Returns the schema that this store would have if it were opened anew, and refuses what {@link
   * #open} and {@link #requireDefinedClasses} would then refuse.
   *
   * @param files the schema of the files
   * @throws StoreException if the store does not suit it
   */
  public ExtendedSchema openedWith(Schema files) {
    try (LmdbSnapshot read = readers.begin()) {
      TxnHandle slot = read.slot();
      ExtendedSchema wanted = StoredSchema.read(environment, slot.txn(), files);
      StoreLayout _ = layout(environment, slot.txn(), wanted);
      StoreMeta meta = StoreMeta.read(environment, slot.txn(), wanted.schema());
      DefinedClasses.require(slot, wanted.schema(), meta);
      return wanted;
    }
  }

  /**
   * Refuses a schema that lacks object classes of entries; see {@link DefinedClasses}.
   *
   * @throws StoreException if it does
   */
  public void requireDefinedClasses() {
    try (TxnHandle slot = new TxnHandle(environment)) {
      DefinedClasses.require(slot, schema(), readMeta());
    }
  }

  /** Notes the schema, whose classes are those of the entries; see {@link DefinitionNotes}. */
  public void noteDefinitions() {
    DefinitionNotes.write(environment, extended);
  }

  @Override
  public ExtendedSchema extendedSchema() {
    return extended;
  }

  /** Makes another schema the one that reads use from now on. */
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
    return readers.begin();
  }

  private LmdbReader newReader() {
    return new LmdbReader(this, readers, layout);
  }

  /** Sets the size of the map while nothing is read; false if a read does not end in time. */
  private boolean resize(long bytes) {
    try {
      return readers.whileQuiet(
          () -> {
            if (points != null) {
              points.forget();
            }
            environment.env().setMapSize(bytes);
          });
    } catch (LmdbException e) {
      throw environment.unavailable(e);
    }
  }

  /**
   * Replaces the data file while the store is open. Nothing may be changed meanwhile: the caller is
   * within {@link WriterGate#whileHeld}. Reads pause, and the next one of each thread begins with a
   * new reader.
   *
   * @param replacing puts the file in its place, whose last transaction has the number of the
   *     store's, and whose contents are equal
   * @return false if a read does not end in time; nothing has happened then
   * @throws IOException if the file cannot be put in its place: the old one is open
   * @throws StoreException if the file that is there cannot be opened, or may be gone after a power
   *     failure: nothing can be read or changed any more, only {@link #close} be called
   */
  public boolean replaceFile(LmdbEnvironment.Replacing replacing) throws IOException {
    return replaceFile(replacing, false);
  }

  /** As above; if the file is an other one, its contents are others, by a later transaction. */
  boolean replaceFile(LmdbEnvironment.Replacing replacing, boolean isOther) throws IOException {
    if (!gate.isMine()) {
      throw new IllegalStateException("the data file is replaced while nothing is changed");
    }
    IOException[] failure = new IOException[1];
    boolean isDone =
        readers.whileQuiet(
            () -> {
              readers.retire();
              writer = null;
              if (points != null) {
                points.forget();
              }
              try {
                environment.replaceFile(replacing);
                if (isOther) {
                  takeOther();
                }
              } catch (IOException e) {
                failure[0] = e;
              } catch (RuntimeException | Error e) {
                readers.shut();
                environment.health().lost(String.valueOf(e.getMessage()));
                throw e;
              }
            });
    if (failure[0] != null) {
      throw failure[0];
    }
    return isDone;
  }

  private void takeOther() {
    long last = environment.env().info().lastTransactionId;
    environment.announceStructureChange(last);
    begun = last + 1;
    try (Txn<ByteBuffer> txn = environment.beginRead()) {
      extended = StoredSchema.read(environment, txn, extended.base());
      layout = layout(environment, txn, extended);
    }
  }

  @Override
  public StoreTransfer transfer() {
    return new LmdbTransfer(this, settings);
  }

  /** Returns the right to write. */
  public WriterGate gate() {
    return gate;
  }

  @Override
  public WriteTransaction beginWrite() {
    if (environment.isReadOnly()) {
      throw new StoreUnavailableException("the store is open for reading only", null);
    }
    if (Thread.currentThread().isVirtual() || gate.isMine()) {
      throw new IllegalStateException(
          "a platform thread changes the store, in one transaction at a time");
    }
    gate.enter();
    boolean begun = false;
    try {
      readers.requireOpen();
      LmdbWriter transaction = beginTransaction();
      begun = true;
      return transaction;
    } finally {
      if (!begun) {
        gate.leave();
      }
    }
  }

  private LmdbWriter beginTransaction() {
    environment.requireWritable();
    mapSize.prepare();
    Txn<ByteBuffer> txn = environment.beginChange();
    begun = txn.getId();
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

  /** Releases the right to write, so that the next transaction can begin. */
  void endWrite() {
    try {
      reopenIfBroken();
    } finally {
      gate.leave();
    }
  }

  /**
   * Returns the faults of the store that last, after a look at the place of its data file, and an
   * attempt to mend what the last change could not.
   */
  public StoreHealth examine() {
    StoreHealth health = environment.health();
    if (health.lost() != null) {
      return health;
    }
    readers.whileOpen(
        _ -> {
          environment.lookAtPlace();
          return true;
        });
    if (health.isBroken() && gate.tryEnter()) {
      endWrite();
    }
    return health;
  }

  /** Returns the faults of the store that last. */
  public StoreHealth health() {
    return environment.health();
  }

  /*
   * LMDB does nothing any more after a failed write of a meta page, until the file is opened again.
   * All earlier commits were on disk before that write, and all pages that a later commit
   * refers to are either among these or written by it. If the file does not end with the last
   * commit that is known, what the server remembers is not what the file has: only a new process
   * goes on then.
   */
  private void reopenIfBroken() {
    StoreHealth health = environment.health();
    if (!health.isBroken() || health.lost() != null) {
      return;
    }
    if (gate.isRecording()) {
      // The keys that a compaction has to take over are of the databases of this opening.
      health.lost(health.fault() + ", while the store was compacted");
      return;
    }
    long expected = begun - 1;
    try {
      if (replaceFile(() -> {})) {
        long found = environment.env().info().lastTransactionId;
        if (found != expected) {
          health.lost("the data file ends with transaction " + found + ", not " + expected);
        } else {
          environment.mended();
        }
      }
    } catch (IOException | RuntimeException e) {
      health.lost(FileFailures.reason(e));
    }
  }

  /** Makes the layout of a commit the current one. */
  void publish(StoreLayout committed) {
    layout = committed;
  }

  /** Returns the pool through which all reads of the store begin. */
  public ReaderPool readers() {
    return readers;
  }

  /** Returns the account that plans take their memory from. */
  public PlanMemory planMemory() {
    return planMemory;
  }

  /** Returns the cache of searches for single values; null if they are not remembered. */
  public @Nullable LookupCache points() {
    return points;
  }

  /** Returns the size of the map and its bounds. */
  public MapSize mapSize() {
    return mapSize;
  }

  /**
   * Adds naming contexts without entries; contexts that exist already are left unchanged. To be
   * called before operations use the store.
   *
   * @throws StoreException if a suffix is no DN, or one is above another
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

  /** Returns the number of entries in the store. */
  public long entryCount() {
    return status().entries();
  }

  /** Returns how full the store is and which reads are open. */
  public StoreStatus status() {
    return readers.whileOpen(all -> StoreStatus.of(environment, mapSize.maximum(), all));
  }

  /** Returns the complete indexes of the store. */
  public List<IndexDefinition> indexes() {
    return readMeta().indexes();
  }

  /** Returns the look-ups in the indexes since the store was opened. */
  public IndexUses indexUses() {
    return indexUses;
  }

  /**
   * Begins to build an index, as far as it does not exist; {@link #workOnIndexes} continues the
   * work. Readers use it when it is complete.
   *
   * @throws IllegalArgumentException if the current schema does not allow it
   */
  public void addIndex(IndexDefinition definition) {
    changeIndexes(definition, IndexPlan::adding);
  }

  /**
   * Removes an index: readers do not use it any more. {@link #workOnIndexes} deletes its keys.
   *
   * @throws IllegalArgumentException if the current schema does not know it
   */
  public void dropIndex(IndexDefinition definition) {
    changeIndexes(definition, (plan, current) -> plan.dropping(current, false));
  }

  /**
   * Removes an index and builds it anew, with {@link #workOnIndexes}.
   *
   * @throws IllegalArgumentException if the current schema does not allow it
   */
  public void rebuildIndex(IndexDefinition definition) {
    changeIndexes(definition, (plan, current) -> plan.dropping(current, true));
  }

  /*
   * Checks by the schema of the transaction: if another change of the schema has deleted attributes
   * since the definition was made, a store with indexes on them could not be opened again.
   */
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
   * @return true if there is more to do
   */
  public boolean workOnIndexes() {
    try (WriteTransaction transaction = beginWrite()) {
      boolean isMore = transaction instanceof LmdbWriter mine && mine.workOnIndexes();
      transaction.commit();
      return isMore;
    }
  }

  /** Returns the progress of the work on indexes; empty if there is none. */
  public List<IndexProgress> indexProgress() {
    StoreMeta meta = readMeta();
    return IndexWorker.progress(meta.indexPlan(), meta.nextEntryId() - 1);
  }

  private StoreMeta readMeta() {
    return readers.whileOpen(
        _ -> {
          try (Txn<ByteBuffer> txn = environment.beginRead()) {
            return StoreMeta.read(environment, txn, schema());
          }
        });
  }

  /**
   * Returns the layout of a snapshot: the known one while the meta data's generation is the same.
   */
  StoreLayout layoutFor(TxnHandle slot, StoreLayout known) {
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
   * The environment, for tools of this package. A caller that reads through it while the store is
   * changed must make sure that the map is not resized meanwhile.
   */
  public LmdbEnvironment environment() {
    return environment;
  }

  /**
   * Closes the store once the reads that are open have ended, for which it waits a few seconds.
   * Idempotent.
   *
   * @throws IllegalStateException if a read does not end. If the read is one of the calling thread,
   *     nothing has changed; otherwise no more reads begin, and the store must be closed again.
   */
  @Override
  public void close() {
    close(CLOSE_WAIT_MILLIS);
  }

  /** Closes as {@link #close()} does, but with another waiting time. */
  void close(int waitMillis) {
    if (gate.isMine()) {
      throw new IllegalStateException("the store is closed while the same thread changes it");
    }
    readers.close(waitMillis, gate::isTaken, this::free);
  }

  private void free() {
    if (points != null) {
      points.release();
    }
    environment.close();
  }
}
