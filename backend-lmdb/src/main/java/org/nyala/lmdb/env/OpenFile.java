package org.nyala.lmdb.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;

/**
 * One opening of the data file: LMDB's environment with its databases, and the table of readers.
 *
 * <p>Immutable. Close it after every transaction on it has been closed.
 *
 * @param values the database of values out of line; null in a store of before there was one that is
 *     open for reading
 * @param changes the journal of changes; null in the same case
 * @param modifications the modifications of these changes; null in the same case
 * @param identity the file that is open
 */
record OpenFile(
    Env<ByteBuffer> env,
    Dbi<ByteBuffer> meta,
    Dbi<ByteBuffer> id2entry,
    Dbi<ByteBuffer> dn2id,
    Dbi<ByteBuffer> index,
    @Nullable Dbi<ByteBuffer> values,
    @Nullable Dbi<ByteBuffer> changes,
    @Nullable Dbi<ByteBuffer> modifications,
    ReaderSlots readerSlots,
    FileIdentity identity)
    implements AutoCloseable {

  /** Opens the databases of an environment; LMDB's exceptions are thrown on. */
  static OpenFile of(
      Path directory, Env<ByteBuffer> env, boolean isWritable, DbiFlags... databaseFlags)
      throws IOException {
    return new OpenFile(
        env,
        env.openDbi("meta", databaseFlags),
        env.openDbi("id2entry", databaseFlags),
        env.openDbi("dn2id", databaseFlags),
        env.openDbi("index", databaseFlags),
        openLater(env, "values", isWritable),
        openLater(env, "changes", isWritable),
        openLater(env, "modifications", isWritable),
        ReaderSlots.open(directory, env),
        FileIdentity.of(directory.resolve(LmdbEnvironment.DATA_FILE)));
  }

  /* Stores from before this database existed get it when they are first opened for writing. */
  private static @Nullable Dbi<ByteBuffer> openLater(
      Env<ByteBuffer> env, String name, boolean isWritable) {
    if (isWritable) {
      return env.openDbi(name, DbiFlags.MDB_CREATE);
    }
    try {
      return env.openDbi(name);
    } catch (Dbi.KeyNotFoundException _) {
      return null;
    }
  }

  /** Returns all databases that exist, in the order of {@link LmdbEnvironment#DATABASES}. */
  List<Dbi<ByteBuffer>> databases() {
    List<Dbi<ByteBuffer>> all = new ArrayList<>(List.of(meta, id2entry, dn2id, index));
    if (values != null) {
      all.add(values);
    }
    if (changes != null) {
      all.add(changes);
    }
    if (modifications != null) {
      all.add(modifications);
    }
    return all;
  }

  @Override
  public void close() {
    env.close();
    // Comes before other code of this process may open the directory, whose locks it would release.
    readerSlots.close();
  }
}
