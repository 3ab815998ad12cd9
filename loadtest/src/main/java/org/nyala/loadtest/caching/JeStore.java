package org.nyala.loadtest.caching;

import com.sleepycat.je.Cursor;
import com.sleepycat.je.CursorConfig;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.DatabaseException;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.OperationStatus;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.PrivateFiles;
import org.nyala.lmdb.env.StoreException;

/**
 * An environment of Berkeley DB with the databases of a directory: records by entry id, entry ids
 * by name, postings by index key, and the meta data. Thread-safe once it is open.
 */
final class JeStore implements AutoCloseable {
  private static final String LOG_FILES = "*.jdb";

  /* The files of the default, 10 MB, are a thousand for a large directory. */
  private static final String LOG_FILE_BYTES = Long.toString(256L << 20);

  /* Berkeley DB refuses more than 90, and the rest of the server needs some. */
  private static final int MOST_PERCENT = 80;

  private final Environment environment;
  private final Database records;
  private final Database names;
  private final Database postings;
  private final Database meta;

  private JeStore(Environment environment, boolean isNew) {
    this.environment = environment;
    this.records = open("id2entry", isNew, false);
    this.names = open("dn2id", isNew, true);
    this.postings = open("index", isNew, true);
    this.meta = open("meta", isNew, false);
  }

  private static JeStore of(Environment environment, boolean isNew) {
    try {
      return new JeStore(environment, isNew);
    } catch (RuntimeException e) {
      environment.close();
      throw e;
    }
  }

  private Database open(String name, boolean isNew, boolean hasPrefixes) {
    DatabaseConfig config = new DatabaseConfig();
    config.setAllowCreate(isNew).setReadOnly(!isNew).setDeferredWrite(isNew);
    config.setKeyPrefixing(hasPrefixes);
    return environment.openDatabase(null, name, config);
  }

  /**
   * Creates a store in a folder, which is made if it is missing, and must hold none. Rows are
   * written when the cache is full, and at the end.
   *
   * @param cacheBytes the size of the cache of Berkeley DB
   * @throws StoreException if there is a store, or it cannot be created
   */
  static JeStore create(Path folder, long cacheBytes) {
    try {
      PrivateFiles.createFolders(folder);
      if (hasLogFiles(folder)) {
        throw new StoreException(folder + " holds a caching store already: name another folder");
      }
      EnvironmentConfig config = config(cacheBytes).setAllowCreate(true);
      config.setConfigParam(EnvironmentConfig.LOG_FILE_MAX, LOG_FILE_BYTES);
      return of(new Environment(folder.toFile(), config), true);
    } catch (IOException | DatabaseException | IllegalArgumentException e) {
      throw new StoreException("cannot create a caching store in " + folder + ": " + text(e), e);
    }
  }

  /**
   * Opens a complete store, which nothing changes any more.
   *
   * @param cacheBytes the size of the cache of Berkeley DB
   * @throws StoreException if there is none, or it cannot be opened
   */
  static JeStore open(Path folder, long cacheBytes) {
    try {
      if (!Files.isDirectory(folder) || !hasLogFiles(folder)) {
        throw new StoreException(
            folder + " holds no caching store: make one with nyala-loadtest caching load");
      }
      EnvironmentConfig config = config(cacheBytes).setReadOnly(true).setLocking(false);
      return of(new Environment(folder.toFile(), config), false);
    } catch (IOException | DatabaseException | IllegalArgumentException e) {
      throw new StoreException("cannot open the caching store in " + folder + ": " + text(e), e);
    }
  }

  private static EnvironmentConfig config(long cacheBytes) {
    long most = Runtime.getRuntime().maxMemory() / 100 * MOST_PERCENT;
    if (cacheBytes > most) {
      throw new StoreException(
          "a cache of "
              + (cacheBytes >> 20)
              + " MiB is more than 80 % of the heap: set a larger heap by NYALA_JAVA_OPTS=-Xmx…");
    }
    EnvironmentConfig config = new EnvironmentConfig();
    config.setCacheSize(cacheBytes);
    config.setConfigParam(EnvironmentConfig.STATS_COLLECT, "false");
    return config;
  }

  private static String text(Exception e) {
    return String.valueOf(e.getMessage());
  }

  private static boolean hasLogFiles(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, LOG_FILES)) {
      return files.iterator().hasNext();
    }
  }

  Database records() {
    return records;
  }

  Database names() {
    return names;
  }

  Database postings() {
    return postings;
  }

  Database meta() {
    return meta;
  }

  /** Returns the value of a key; null if there is none. */
  static byte @Nullable [] get(Database database, byte[] key, int length) {
    DatabaseEntry value = new DatabaseEntry();
    OperationStatus status =
        database.get(null, new DatabaseEntry(key, 0, length), value, LockMode.READ_UNCOMMITTED);
    return status == OperationStatus.SUCCESS ? value.getData() : null;
  }

  /** Opens a cursor that takes no locks. */
  static Cursor cursor(Database database) {
    return database.openCursor(null, CursorConfig.READ_UNCOMMITTED);
  }

  /** Writes what is in the cache alone, and waits for the disk. */
  void sync() {
    for (Database database : new Database[] {records, names, postings, meta}) {
      database.sync();
    }
    environment.sync();
  }

  @Override
  public void close() {
    for (Database database : new Database[] {records, names, postings, meta}) {
      database.close();
    }
    environment.close();
  }
}
