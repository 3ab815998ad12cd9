package org.nyala.lmdb;

import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.RawWriter;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.env.WriterTxn;
import org.nyala.lmdb.format.StoreLayout;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.format.StoredSchema;

/**
 * The schema by which the writer reads and changes the store: the store's schema, or another one
 * that its transaction brings and that becomes the store's with the commit.
 *
 * <p>Confined to the thread that began the transaction.
 */
final class WriterSchema {
  private final LmdbBackend backend;
  private final TxnHandle slot;
  private Schema schema;
  private @Nullable ExtendedSchema brought;

  /** Begins with the store's schema. */
  WriterSchema(LmdbBackend backend, TxnHandle slot, Schema schema) {
    this.backend = backend;
    this.slot = slot;
    this.schema = schema;
  }

  /** Returns the current schema. */
  Schema now() {
    return schema;
  }

  /**
   * Returns the meta data of the store as of the last commit, read by another schema.
   *
   * @throws InvalidSchemaException if the schema does not suit the store
   */
  StoreMeta metaBy(Schema other, long generation) throws InvalidSchemaException {
    try {
      StoreMeta read = StoreMeta.read(backend.environment(), slot.txn(), other).renewed();
      return read.with(generation, read.attributes());
    } catch (StoreException e) {
      throw unsuited(e);
    }
  }

  /**
   * Returns the layout of the given meta data by another schema.
   *
   * @throws InvalidSchemaException if the schema does not suit the store
   */
  static StoreLayout layoutBy(Schema other, StoreMeta meta) throws InvalidSchemaException {
    try {
      return new StoreLayout(meta, other);
    } catch (StoreException e) {
      throw unsuited(e);
    }
  }

  private static InvalidSchemaException unsuited(StoreException e) {
    return new InvalidSchemaException(String.valueOf(e.getMessage()));
  }

  /** Puts another schema into the store and uses it. LMDB's exceptions are thrown on. */
  void bring(ExtendedSchema other, RawWriter raw) {
    raw.put(backend.environment().meta(), StoredSchema.KEY, StoredSchema.text(other));
    brought = other;
    schema = other.schema();
  }

  /**
   * Commits a transaction, and makes the schema that it brought the schema of the store. The schema
   * is published first, because readers of the committed data need its definitions. Older snapshots
   * can be read by the new schema too.
   */
  void commit(WriterTxn txn) {
    ExtendedSchema other = brought;
    if (other == null) {
      txn.commit();
      return;
    }
    ExtendedSchema former = backend.extendedSchema();
    backend.use(other);
    boolean done = false;
    try {
      txn.commit();
      done = true;
      brought = null;
    } finally {
      if (!done) {
        backend.use(former);
      }
    }
  }

  /** Returns to the store's schema; returns whether the transaction had brought another one. */
  boolean forget() {
    if (brought == null) {
      return false;
    }
    brought = null;
    schema = backend.extendedSchema().schema();
    return true;
  }
}
