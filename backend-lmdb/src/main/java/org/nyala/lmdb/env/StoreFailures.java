package org.nyala.lmdb.env;

import java.io.File;
import java.nio.file.Path;
import java.util.Set;
import org.lmdbjava.Env;
import org.lmdbjava.LmdbException;
import org.lmdbjava.LmdbNativeException;
import org.lmdbjava.Txn;

/**
 * Describes LMDB errors: to clients whose change could not be stored, and to administrators whose
 * copy of the store failed.
 */
public final class StoreFailures {
  /** LMDB's code for an environment that an earlier error has made unusable for changes. */
  static final int PANIC = -30795;

  /** LMDB's code for pages of the data file that are neither used nor free. */
  private static final int INCOMPATIBLE = -30784;

  /** The message for a full map. */
  static final String FULL = "the store is full: raise nyala.store.maximumMapSizeGiB";

  private static final String DISK_FULL = "the disk is full";
  private static final String BROKEN_DISK = "the disk cannot be read or written to";

  /** LMDB's codes for pages that are missing, of another kind, or no pages at all. */
  private static final Set<Integer> DAMAGE = Set.of(-30797, -30796, -30793, INCOMPATIBLE);

  /** The free space in bytes below which a short write is blamed on a full disk. */
  private static final long SCARCE_BYTES = 4 << 20;

  private static final int IO_ERROR = 5;
  private static final int NO_ACCESS = 13;
  private static final int FILE_TOO_LARGE = 27;
  private static final int NO_SPACE = 28;
  private static final int READ_ONLY = 30;
  private static final int QUOTA = 122;

  private StoreFailures() {}

  /** Returns whether LMDB does nothing any more until the data file is opened again. */
  static boolean isFatal(LmdbException cause) {
    return cause instanceof LmdbNativeException error && error.getResultCode() == PANIC;
  }

  /** Returns whether pages of the data file are not what they have to be. */
  static boolean isDamage(LmdbException cause) {
    return cause instanceof LmdbNativeException error && DAMAGE.contains(error.getResultCode());
  }

  /** Returns whether the system has refused something, not LMDB. */
  static boolean isOfDisk(LmdbException cause) {
    return cause instanceof LmdbNativeException error && error.getResultCode() > 0;
  }

  /**
   * Returns a sentence for clients, without paths.
   *
   * @param directory the data directory
   */
  static String reason(LmdbException cause, Path directory) {
    return isFull(cause, directory) ? DISK_FULL : reason(cause);
  }

  /* LMDB also reports an error of the disk if less was written than requested. */
  private static boolean isFull(LmdbException cause, Path directory) {
    return cause instanceof LmdbNativeException error
        && error.getResultCode() == IO_ERROR
        && isNearlyFull(directory);
  }

  private static boolean isNearlyFull(Path directory) {
    File file = directory.toFile();
    boolean isKnown = file.getTotalSpace() > 0;
    return isKnown && file.getUsableSpace() < SCARCE_BYTES;
  }

  private static String reason(LmdbException cause) {
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

  /**
   * Returns the reason of an error in plain words if they are known, or else LMDB's message.
   *
   * @param directory the folder of the file
   */
  static String words(LmdbException cause, Path directory) {
    boolean isBroken =
        cause instanceof LmdbNativeException error && error.getResultCode() == IO_ERROR;
    return !isBroken ? words(cause) : isNearlyFull(directory) ? DISK_FULL : BROKEN_DISK;
  }

  /** Returns the reason of an error, as {@link #words(LmdbException, Path)}, of an unknown file. */
  public static String words(LmdbException cause) {
    if (cause instanceof LmdbNativeException error) {
      switch (error.getResultCode()) {
        case NO_SPACE, QUOTA:
          return DISK_FULL;
        case FILE_TOO_LARGE:
          return "the data file may not grow further";
        case READ_ONLY:
          return "the file system is read-only";
        case NO_ACCESS:
          return "permission denied";
        case IO_ERROR:
          return "the disk is full, or cannot be read or written to";
        default:
          break;
      }
    }
    return message(cause);
  }

  /** Returns LMDB's message without the prefix of codes of the system. */
  private static String message(LmdbException cause) {
    return String.valueOf(cause.getMessage()).replaceFirst("^Platform constant error code: ", "");
  }

  /** Returns the reason why a copy of the store failed. */
  public static String copyReason(LmdbException cause) {
    int code = cause instanceof LmdbNativeException error ? error.getResultCode() : 0;
    return switch (code) {
      case NO_SPACE, QUOTA -> DISK_FULL;
      case FILE_TOO_LARGE -> "the file may not grow further";
      case READ_ONLY -> "the file system is read-only";
      case NO_ACCESS -> "permission denied";
      case IO_ERROR -> BROKEN_DISK;
      case INCOMPATIBLE -> "the data is damaged: see 'nyala verify'";
      default -> message(cause);
    };
  }

  private static String reason(int code) {
    return switch (code) {
      case NO_SPACE, QUOTA -> DISK_FULL;
      case FILE_TOO_LARGE -> "the data file may not grow further";
      case IO_ERROR -> BROKEN_DISK;
      case READ_ONLY -> "the disk is read-only";
      case PANIC -> "the store cannot be used after an error of the disk";
      default -> "the store cannot be changed (error " + code + ")";
    };
  }
}
