package org.nyala.log;

/** A log of the server in files of its own. Thread-safe. */
public interface WrittenLog extends AutoCloseable {
  /** Returns the number of records that it could not take or write. */
  long dropped();

  /** Writes the records in the queue, then closes the log. */
  @Override
  void close();
}
