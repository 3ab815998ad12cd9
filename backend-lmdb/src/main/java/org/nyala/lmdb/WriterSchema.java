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
 * The schema by which the writer reads and changes the store: the store's, or another one that its
 * transaction brings, which becomes the store's with the commit.
 *
 * <p>Confined to the thread that began the transaction.
 */
final class WriterSchema {
  private final LmdbBackend backend;
  private final TxnHandle slot;
  private Schema schema;
  private @Nullable ExtendedSchema brought;

  /** Goes by the store's schema. */
  WriterSchema(LmdbBackend backend, TxnHandle slot, Schema schema) {
    this.backend = backend;
    this.slot = slot;
    this.schema = schema;
  }

  /** The schema of the moment. */
  Schema now() {
    return schema;
  }

  /**
   * What the store said about itself at the last commit, read by another schema.
   *
   * @throws InvalidSchemaException when the schema does not suit the store
   */
  StoreMeta metaBy(Schema other, long generation) throws InvalidSchemaException {
    try {
      StoreMeta read = StoreMeta.read(backend.environment(), slot.txn(), other);
      return read.with(generation, read.attributes());
    } catch (StoreException e) {
      throw unsuited(e);
    }
  }

  /**
   * The layout of what a store says about itself, by another schema.
   *
   * @throws InvalidSchemaException when the schema does not suit the store
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

  /** Puts another schema into the store and goes by it. LMDB's exceptions go through. */
  void bring(ExtendedSchema other, RawWriter raw) {
    raw.put(backend.environment().meta(), StoredSchema.KEY, StoredSchema.text(other));
    brought = other;
    schema = other.schema();
  }

  /**
   * Commits a transaction, and makes the schema that it brought the store's: before that, because
   * whoever reads what is committed must know the definitions already. Older snapshots can be read
   * by the new schema too.
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

  /** Goes by the store's schema again; whether the transaction had brought another one. */
  boolean forget() {
    if (brought == null) {
      return false;
    }
    brought = null;
    schema = backend.extendedSchema().schema();
    return true;
  }
}
