package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StoreException;

/** The notes of a store about the schema that it is served by. Stateless. */
public final class DefinitionNotes {
  private static final System.Logger LOG = System.getLogger(DefinitionNotes.class.getName());

  private DefinitionNotes() {}

  /**
   * Notes the classes of a schema that {@link DefinedClasses} has accepted, and the files of its
   * definitions, for messages about missing ones. Only before anything else is written; a store
   * that cannot be written to keeps its notes of before.
   */
  public static void write(LmdbEnvironment environment, ExtendedSchema schema) {
    try {
      if (!areThere(environment, schema)) {
        try (Txn<ByteBuffer> txn = environment.beginWrite()) {
          DefinitionOrigins.note(environment, txn, schema.base());
          DefinedClasses.note(environment, txn, schema.schema());
          txn.commit();
        }
      }
    } catch (LmdbException | StoreException e) {
      LOG.log(System.Logger.Level.DEBUG, "the schema is not noted: {0}", e);
    }
  }

  private static boolean areThere(LmdbEnvironment environment, ExtendedSchema schema) {
    try (Txn<ByteBuffer> txn = environment.beginRead()) {
      return DefinitionOrigins.isNoted(environment, txn, schema.base())
          && DefinedClasses.isNoted(environment, txn, schema.schema());
    }
  }
}
