package org.nyala.lmdb.env;

import org.lmdbjava.Env;
import org.lmdbjava.LmdbException;
import org.lmdbjava.LmdbNativeException;
import org.lmdbjava.Txn;

/** What the errors of LMDB mean to a client whose change could not be stored. */
public final class StoreFailures {
  /** LMDB: a former error leaves the environment unusable for changes. */
  static final int PANIC = -30795;

  /** LMDB: pages of the data file are neither used nor free. */
  private static final int INCOMPATIBLE = -30784;

  /** LMDB: there is no room in the map. */
  static final String FULL = "the store is full: raise nyala.store.maximumMapSizeGiB";

  private static final int IO_ERROR = 5;
  private static final int FILE_TOO_LARGE = 27;
  private static final int NO_SPACE = 28;
  private static final int READ_ONLY = 30;
  private static final int QUOTA = 122;

  private StoreFailures() {}

  /** A sentence for clients, without paths. */
  static String reason(LmdbException cause) {
    if (cause instanceof Env.MapFullException) {
      return FULL;
    }
    if (cause instanceof Txn.TxFullException) {
      return "too much is changed at once";
    }
    return cause instanceof LmdbNativeException error
        ? reason(error.getResultCode())
        : "the store cannot be changed";
  }

  /** Why a copy of the store failed. */
  public static String copyReason(LmdbException cause) {
    int code = cause instanceof LmdbNativeException error ? error.getResultCode() : 0;
    return switch (code) {
      case NO_SPACE, QUOTA -> "the disk is full";
      case FILE_TOO_LARGE -> "the file may not grow further";
      case IO_ERROR -> "the disk cannot be read or written to";
      case INCOMPATIBLE -> "the data is damaged: see 'nyala verify'";
      default -> "error " + code;
    };
  }

  private static String reason(int code) {
    return switch (code) {
      case NO_SPACE, QUOTA -> "the disk is full";
      case FILE_TOO_LARGE -> "the data file may not grow further";
      // LMDB: also where less was written than was to be, as a disk does that becomes full.
      case IO_ERROR -> "the disk is full or cannot be written to";
      case READ_ONLY -> "the disk is read-only";
      case PANIC -> "the store cannot be changed after an error of the disk: restart the server";
      default -> "the store cannot be changed (error " + code + ")";
    };
  }
}
