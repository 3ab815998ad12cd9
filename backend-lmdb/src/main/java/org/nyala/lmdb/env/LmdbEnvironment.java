package org.nyala.lmdb.env;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.ByteBufferProxy;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.lmdb.format.Dn2IdKeys;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.format.ValueKeys;
import org.nyala.lmdb.posting.PostingChunk;

/**
 * The LMDB environment of one data directory with its seven databases.
 *
 * <p>Thread-safe; transactions are not. One environment per directory and process. Close it after
 * every transaction on it has been closed.
 */
public final class LmdbEnvironment implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(LmdbEnvironment.class.getName());

  /** The file in which LMDB keeps the data. */
  public static final String DATA_FILE = "data.mdb";

  /** The names of its databases. */
  public static final List<String> DATABASES =
      List.of("meta", "id2entry", "dn2id", "index", "values", "changes", "modifications");

  /** The shortest time between two looks at the place of the data file by changes. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The mode of LMDB's files: the data contains passwords. */
  private static final int OWNER_ONLY = 0600;

  private final Path directory;
  private final LmdbSettings settings;
  private final @Nullable StoreLock lock;
  private final LargeThresholds thresholds;
  private final int pageBytes;
  private final OldestReader oldestRead = new OldestReader();
  private final CommitTimes commitTimes =
      new CommitTimes(System::nanoTime, System::currentTimeMillis);

  private final StoreHealth health = new StoreHealth();
  private final AtomicLong lookedAtPlace = new AtomicLong(System.nanoTime());

  /** The data file that is open; another one after {@link #replaceFile}. */
  private volatile OpenFile file;

  /** The keys that are changed; null if they are not recorded. */
  private volatile @Nullable ChangeJournal journal;

  /**
   * {@link Long#MAX_VALUE} in an environment opened for reading only: the changes of other
   * processes are unknown, so readers remember nothing between snapshots.
   */
  private volatile long lastStructureChange;

  private LmdbEnvironment(
      Path directory, LmdbSettings settings, OpenFile file, @Nullable StoreLock lock) {
    this.directory = directory;
    this.settings = settings;
    this.file = file;
    this.lock = lock;
    this.thresholds = settings.large();
    this.lastStructureChange = lock == null ? Long.MAX_VALUE : 0;
    this.pageBytes = file.env().stat().pageSize;
  }

  /**
   * Opens a directory that holds a store; takes the {@link StoreLock} unless opened for reading.
   *
   * @throws StoreException if there is no store, another format, or no access
   */
  public static LmdbEnvironment open(Path directory, LmdbSettings settings) {
    requireStore(directory);
    return open(directory, settings, new DbiFlags[0]);
  }

  /** Throws a {@link StoreException} when a directory holds no LMDB data file. */
  public static void requireStore(Path directory) {
    if (!holdsStore(directory)) {
      throw new StoreException(
          "no data in " + directory.toAbsolutePath() + ": import an LDIF file first");
    }
  }

  /**
   * Creates an empty store in an existing, empty directory.
   *
   * @throws StoreException if the directory holds a store or cannot be written to
   */
  public static LmdbEnvironment create(Path directory, LmdbSettings settings) {
    if (holdsStore(directory)) {
      throw new StoreException(directory.toAbsolutePath() + " holds data already");
    }
    return open(directory, settings, DbiFlags.MDB_CREATE);
  }

  /** Returns whether a directory holds an LMDB data file. */
  static boolean holdsStore(Path directory) {
    return Files.isRegularFile(directory.resolve(DATA_FILE));
  }

  private static LmdbEnvironment open(
      Path directory, LmdbSettings settings, DbiFlags... databaseFlags) {
    StoreLock lock = settings.readOnly() ? null : StoreLock.acquire(directory);
    Env<ByteBuffer> env = null;
    try {
      env = openEnv(directory, settings);
      env.readerCheck();
      OpenFile file = OpenFile.of(directory, env, lock != null, databaseFlags);
      return new LmdbEnvironment(directory, settings, file, lock);
    } catch (LmdbException | IOException e) {
      close(env, lock);
      throw openFailure(directory, e);
    } catch (StoreException e) {
      close(env, lock);
      throw e;
    } catch (LinkageError e) {
      close(env, lock);
      throw new StoreException(
          "LMDB's native library cannot be loaded; if the temporary folder forbids "
              + "execution, name another with -Dlmdbjava.extract.dir and -Djffi.extract.dir",
          e);
    }
  }

  private static Env<ByteBuffer> openEnv(Path directory, LmdbSettings settings) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IOException("not a directory");
    }
    if (settings.readOnly()) {
      ReaderTable.tryToMake(directory, settings.maximumReaders());
    } else {
      // Users that can open the table can hold its locks; LMDB applies the mode only to files that
      // it creates.
      PrivateFiles.closeToOthers(directory.resolve(ReaderTable.FILE_NAME));
      PrivateFiles.closeToOthers(directory.resolve(DATA_FILE));
      ReaderTable.reserve(directory, settings.maximumReaders());
    }
    DataFileEnd.require(directory);
    return Env.create(ByteBufferProxy.PROXY_OPTIMAL)
        .setMapSize(settings.mapSizeBytes())
        .setMaxDbs(DATABASES.size())
        .setMaxReaders(settings.maximumReaders())
        .open(directory.toFile(), OWNER_ONLY, flags(settings));
  }

  /**
   * Opens a directory only to read the number of its last transaction; no page of a database is
   * read.
   *
   * @throws StoreException if there is no store, or no access
   */
  public static Env<ByteBuffer> openBare(Path directory) {
    try {
      return openEnv(directory, LmdbSettings.DEFAULT.asReadOnly());
    } catch (LmdbException | IOException e) {
      throw openFailure(directory, e);
    }
  }

  private static EnvFlags[] flags(LmdbSettings settings) {
    List<EnvFlags> flags = new ArrayList<>();
    flags.add(EnvFlags.MDB_NOTLS);
    if (!settings.readAhead()) {
      flags.add(EnvFlags.MDB_NORDAHEAD);
    }
    if (settings.readOnly()) {
      flags.add(EnvFlags.MDB_RDONLY_ENV);
    }
    if (settings.durability() == LmdbSettings.Durability.NONE) {
      flags.add(EnvFlags.MDB_NOSYNC);
    }
    return flags.toArray(EnvFlags[]::new);
  }

  private static StoreException openFailure(Path directory, Exception cause) {
    String reason =
        switch (cause) {
          case Env.FileInvalidException _ -> "data.mdb is not an LMDB file";
          case Env.VersionMismatchException _ -> "data.mdb is of another LMDB version";
          case Env.ReadersFullException _ -> "too many readers; raise nyala.store.maximumReaders";
          case Dbi.KeyNotFoundException _ -> "data.mdb holds no Nyala store";
          default -> FileFailures.reason(cause);
        };
    return new StoreException(
        "cannot open the data directory " + directory.toAbsolutePath() + ": " + reason, cause);
  }

  private static void close(@Nullable Env<ByteBuffer> env, @Nullable StoreLock lock) {
    if (env != null) {
      env.close();
    }
    if (lock != null) {
      lock.close();
    }
  }

  /** Describes an error of LMDB that happened while the store was open, and notes what lasts. */
  public StoreException failure(String doing, LmdbException cause) {
    note(cause);
    if (cause instanceof Env.MapFullException) {
      return new StoreException(
          "the store in "
              + directory
              + " is full while "
              + doing
              + "; raise nyala.store.maximumMapSizeGiB",
          cause);
    }
    String reason =
        cause instanceof Env.ReadersFullException
            ? "all reader slots are taken; raise nyala.store.maximumReaders"
            : StoreFailures.words(cause, directory);
    return new StoreException(doing + " in " + directory + ": " + reason, cause);
  }

  /** Describes an error of LMDB that prevents a change, and notes what lasts. */
  public StoreUnavailableException unavailable(LmdbException cause) {
    String reason = StoreFailures.reason(cause, directory);
    commitTimes.failed(reason);
    note(cause);
    if (!health.isBroken() && StoreFailures.isOfDisk(cause)) {
      // LMDB does not say that it goes on no more until it is asked for the next transaction.
      tryRead(reason);
    }
    return new StoreUnavailableException(reason, cause);
  }

  private void note(LmdbException cause) {
    if (StoreFailures.isFatal(cause)) {
      health.broken("LMDB refuses to go on after an error of the disk");
    } else if (StoreFailures.isDamage(cause)) {
      health.damaged(StoreFailures.words(cause));
    }
  }

  private void tryRead(String reason) {
    try {
      env().txnRead().close();
    } catch (LmdbException e) {
      if (StoreFailures.isFatal(e)) {
        health.broken(reason);
      }
    }
  }

  /** Notes that the data file was opened again after a fault, and is as it was. */
  public void mended() {
    health.mended();
    LOG.log(Level.WARNING, "the data file was opened again after an error of the disk");
  }

  /** Returns the faults that last. */
  public StoreHealth health() {
    return health;
  }

  /**
   * Throws a {@link StoreUnavailableException} if changes would be lost, or nothing can be changed.
   * Only while the data file is not replaced.
   */
  public void requireWritable() {
    long now = System.nanoTime();
    long looked = lookedAtPlace.get();
    if (now - looked > LOOK_NANOS && lookedAtPlace.compareAndSet(looked, now)) {
      lookAtPlace();
    }
    String refusal = health.refusal();
    if (refusal != null) {
      throw new StoreUnavailableException(refusal, null);
    }
  }

  /**
   * Compares the data file that is open with the one in the data directory, which may have been
   * moved, deleted or replaced, or whose file system may not be there any more. Only while the data
   * file is not replaced.
   */
  public void lookAtPlace() {
    Path path = directory.resolve(DATA_FILE);
    String reason = null;
    try {
      if (!FileIdentity.of(path).equals(file.identity())) {
        reason = path.toAbsolutePath() + " is not the file that is open";
      }
    } catch (IOException e) {
      reason = FileFailures.reason(e);
    }
    health.displaced(reason);
  }

  /** Returns whether the store was opened for reading only. */
  public boolean isReadOnly() {
    return lock == null;
  }

  public Path directory() {
    return directory;
  }

  public Env<ByteBuffer> env() {
    return file.env();
  }

  /** Returns the database from text keys to text values; see {@link StoreMeta}. */
  public Dbi<ByteBuffer> meta() {
    return file.meta();
  }

  /** Returns the database from entry id to record. */
  public Dbi<ByteBuffer> id2entry() {
    return file.id2entry();
  }

  /** Returns the database from parent id and RDN to entry id; see {@link Dn2IdKeys}. */
  public Dbi<ByteBuffer> dn2id() {
    return file.dn2id();
  }

  /**
   * Returns the database from value and block to posting chunk; see {@link IndexKeys} and {@link
   * PostingChunk}.
   */
  public Dbi<ByteBuffer> index() {
    return file.index();
  }

  /**
   * Returns the database of the values of attributes that have very many; see {@link ValueKeys}.
   *
   * @throws StoreException if the store was opened for reading before it had any
   */
  public Dbi<ByteBuffer> values() {
    @Nullable Dbi<ByteBuffer> values = file.values();
    if (values == null) {
      throw new StoreException(
          "the store in "
              + directory
              + " has stored values out of line since it was opened: open it again");
    }
    return values;
  }

  /**
   * Returns the database from sequence to change, in order: the journal.
   *
   * @throws StoreException if the store was opened for reading before it had one
   */
  public Dbi<ByteBuffer> changes() {
    @Nullable Dbi<ByteBuffer> changes = file.changes();
    if (changes == null) {
      throw new StoreException(
          "the store in "
              + directory
              + " has a journal of changes since it was opened: open it again");
    }
    return changes;
  }

  /** Returns whether there may be a journal of changes. */
  public boolean hasChanges() {
    return file.changes() != null;
  }

  /**
   * Returns the database from sequence to modifications; null if the store was opened for reading
   * before it had one.
   */
  public @Nullable Dbi<ByteBuffer> modifications() {
    return file.modifications();
  }

  /** Returns the bounds of the journal of changes. */
  public JournalBounds journalBounds() {
    return settings.journal();
  }

  /** Returns the durations and failures of commits. */
  public CommitTimes commitTimes() {
    return commitTimes;
  }

  /** Returns the size of a page of the data file. */
  public int pageBytes() {
    return pageBytes;
  }

  /** Returns the reader slots in use, of all processes; null if they cannot be read. */
  public @Nullable List<ReaderSlots.Place> places() {
    return file.readerSlots().places();
  }

  /** Returns the tracker of the oldest open read. */
  public OldestReader oldestRead() {
    return oldestRead;
  }

  /** Returns the bounds beyond which an attribute has too many values for records. */
  public LargeThresholds thresholds() {
    return thresholds;
  }

  /** Returns all databases that exist. */
  public List<Dbi<ByteBuffer>> databases() {
    return file.databases();
  }

  /** Returns whether there may be values out of line. */
  public boolean hasValues() {
    return file.values() != null;
  }

  /** Begins a transaction that reads; to be closed by the same thread. */
  public Txn<ByteBuffer> beginRead() {
    try {
      return env().txnRead();
    } catch (LmdbException e) {
      throw failure("beginning to read", e);
    }
  }

  /** Begins a transaction that writes; to be closed by the same platform thread. */
  public Txn<ByteBuffer> beginWrite() {
    try {
      return env().txnWrite();
    } catch (LmdbException e) {
      throw failure("beginning to write", e);
    }
  }

  /**
   * Returns the transaction that last changed facts that readers remember for an epoch ({@link
   * TxnHandle#epoch}). It may not have been committed yet.
   */
  long lastStructureChange() {
    return lastStructureChange;
  }

  /** Announces such a change, before its transaction is committed. */
  public void announceStructureChange(long transaction) {
    lastStructureChange = transaction;
  }

  /**
   * Begins a transaction that changes the store; to be closed by the same platform thread.
   *
   * @throws StoreUnavailableException if that is impossible
   */
  public Txn<ByteBuffer> beginChange() {
    try {
      return env().txnWrite();
    } catch (LmdbException e) {
      throw unavailable(e);
    }
  }

  /** Writes something that is there already, so that the transaction has something to commit. */
  void rewriteSomething(Txn<ByteBuffer> txn) {
    try (Cursor<ByteBuffer> cursor = meta().openCursor(txn)) {
      if (cursor.first()) {
        ByteBuffer value = ByteBuffer.allocateDirect(cursor.val().remaining());
        meta().put(txn, cursor.key(), value.put(cursor.val()).flip());
      }
    }
  }

  /** Returns the number of entries at the moment of the transaction. */
  public long entryCount(Txn<ByteBuffer> txn) {
    return id2entry().stat(txn).entries;
  }

  /** Returns the journal that the writer records its keys in; null if there is none. */
  @Nullable ChangeJournal journal() {
    return journal;
  }

  /** Has the writer record its keys from its next transaction on; null ends that. */
  public void journal(@Nullable ChangeJournal other) {
    journal = other;
  }

  /**
   * Closes the data file, has another one put in its place, and opens what is there then. No
   * transaction may be open; whatever was opened in the old file cannot be used any more.
   *
   * @param replacing puts the file in its place, or leaves the old one
   * @throws IOException if it could not: the old file is open again
   * @throws StoreException if the file that is there cannot be opened
   */
  public void replaceFile(Replacing replacing) throws IOException {
    // It is of the databases of the old file.
    journal = null;
    file.close();
    try {
      replacing.run();
    } finally {
      file = reopen();
    }
  }

  /** Puts another data file in its place. */
  @FunctionalInterface
  public interface Replacing {
    /** Does it; the data file is closed meanwhile. */
    void run() throws IOException;
  }

  private OpenFile reopen() {
    Env<ByteBuffer> env = null;
    try {
      env = openEnv(directory, settings);
      return OpenFile.of(directory, env, true);
    } catch (LmdbException | IOException e) {
      close(env, null);
      throw openFailure(directory, e);
    }
  }

  /** Waits until everything that was committed is on disk. */
  public void sync() {
    env().sync(true);
  }

  /** Closes the environment and releases the lock. Idempotent. */
  @Override
  public void close() {
    file.close();
    close(null, lock);
  }
}
