package org.nyala.core.backend;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The transfer of a whole store to another server of the same history, and from one, as a file.
 * Thread-safe.
 */
public interface StoreTransfer {
  /**
   * Writes the present state into a folder, as one file; reads and changes go on meanwhile, and
   * nothing of the store is held afterwards.
   *
   * @param folder does not exist, or is empty, on any file system
   * @return the file
   * @throws IOException if it cannot be written, or there is no room for it; the message says why
   */
  Path copy(Path folder) throws IOException;

  /** Returns the bytes of disk that such a file takes at most. */
  long bytes();

  /** Returns the name of such files. */
  String fileName();

  /** Returns the format of such files. */
  String format();

  /**
   * Opens a file that {@link #copy} has written on another server, to see whether it could take the
   * place of this store's data.
   *
   * @param folder the folder with nothing but the file
   * @return the place in the log that the file has
   * @throws IOException if it is no such file, of another format, or does not suit the schema
   */
  LogMark check(Path folder) throws IOException;

  /**
   * Puts a file that was checked in the place of the store's data, in one step: a crash leaves the
   * former data or all of the new. Waits for reads that are open; later ones see the new data. To
   * be called by the thread that changes the store, within no transaction. What others remember of
   * the store is theirs to renew.
   *
   * @param folder the folder with the file, on the file system of the data; the file is gone from
   *     it afterwards
   * @throws IOException if the former data are still in place
   * @throws StoreUnavailableException if the store can no longer be used
   */
  void replace(Path folder) throws IOException;
}
