package org.nyala.lmdb.ldif;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import org.lmdbjava.Dbi;
import org.lmdbjava.Txn;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.DefinitionOrigins;
import org.nyala.lmdb.format.ImportStore;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.format.StoredSchema;

/**
 * An LMDB environment that an import fills. Confined to one running operation: one thread appends.
 */
final class LmdbImportStore implements ImportStore {
  private final LmdbEnvironment environment;
  private final ImportWriteBack writeBack;
  private final ImportAppender records;
  private final ImportAppender values;

  /**
   * Creates an environment in an empty directory. The import waits for the disk at its end only,
   * when most of the data is there.
   */
  LmdbImportStore(Path directory, LmdbSettings settings) {
    environment =
        LmdbEnvironment.create(
            directory, settings.with(draft -> draft.durability = LmdbSettings.Durability.NONE));
    writeBack = new ImportWriteBack(directory.resolve(LmdbEnvironment.DATA_FILE));
    records = appender(environment.id2entry());
    values = records.companion(environment.values());
  }

  private ImportAppender appender(Dbi<ByteBuffer> database) {
    return new ImportAppender(environment, database, writeBack);
  }

  @Override
  public Rows records() {
    return records;
  }

  @Override
  public Rows values() {
    return values;
  }

  @Override
  public Rows names() {
    return appender(environment.dn2id());
  }

  @Override
  public Rows postings() {
    return appender(environment.index());
  }

  @Override
  public void complete(StoreMeta meta, ExtendedSchema schema) {
    try (Txn<ByteBuffer> txn = environment.beginWrite()) {
      checkCounts(txn, meta.nextEntryId() - 1);
      meta.write(environment, txn);
      beginHistories(meta, txn);
      StoredSchema.write(environment, txn, schema);
      DefinitionOrigins.note(environment, txn, schema.base());
      txn.commit();
    }
    writeBack.close();
    environment.sync();
  }

  /** Copies that hold other data, or came by the same numbers in another way, are to notice. */
  private void beginHistories(StoreMeta meta, Txn<ByteBuffer> txn) {
    for (int i = 0; i < meta.suffixes().size(); i++) {
      CsnVector present = meta.csns().vectors().get(i);
      ContextHistory history = ContextHistory.imported(present, Instant.now());
      StoreMeta.putHistory(environment, txn, i, history);
    }
  }

  private void checkCounts(Txn<ByteBuffer> txn, long size) {
    long entries = environment.entryCount(txn);
    long named = environment.dn2id().stat(txn).entries;
    if (entries != size || named != size) {
      throw new StoreException(
          "the import stored "
              + entries
              + " entries and "
              + named
              + " names instead of "
              + size
              + "; nothing was changed");
    }
  }

  @Override
  public void close() {
    try (environment;
        writeBack) {
      records.close();
    }
  }
}
