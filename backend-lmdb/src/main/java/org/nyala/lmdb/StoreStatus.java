package org.nyala.lmdb;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.lmdbjava.EnvInfo;
import org.lmdbjava.Txn;
import org.nyala.core.metrics.Latency;

/**
 * How full a store is and who reads it, at one moment.
 *
 * <p>Immutable.
 *
 * @param mapBytes address space of the data file: beyond it the server makes more, for which reads
 *     wait a moment
 * @param maximumBytes what the data file may grow to
 * @param usedBytes what the data file has grown to; what was freed in it is used again
 * @param pageBytes a page of it
 * @param readers places of readers that are taken, over all processes
 * @param maximumReaders places of readers
 * @param transactions changes committed since the data was imported
 * @param entries entries
 * @param commits how long commits took, the wait for the disk included, since the server started
 * @param changes entries that those have changed, added or deleted
 * @param largestCommit the most that one of them has
 * @param reading reads that are open
 * @param oldestReadBehind commits since the oldest open read began: what they freed cannot be used
 *     again yet
 */
public record StoreStatus(
    long mapBytes,
    long maximumBytes,
    long usedBytes,
    int pageBytes,
    int readers,
    int maximumReaders,
    long transactions,
    long entries,
    Latency commits,
    long changes,
    long largestCommit,
    int reading,
    long oldestReadBehind) {
  /** Looks at an environment that is open, and at those who read it. */
  static StoreStatus of(
      LmdbEnvironment environment, long maximumBytes, Stream<LmdbReader> readers) {
    CommitTimes times = environment.commitTimes();
    long[] snapshots =
        readers.filter(LmdbReader::isReading).mapToLong(LmdbReader::snapshot).toArray();
    try (Txn<ByteBuffer> txn = environment.beginRead()) {
      EnvInfo info = environment.env().info();
      int pageBytes = environment.env().stat().pageSize;
      return new StoreStatus(
          info.mapSize,
          Math.max(maximumBytes, info.mapSize),
          (info.lastPageNumber + 1) * pageBytes,
          pageBytes,
          info.numReaders,
          info.maxReaders,
          info.lastTransactionId,
          environment.entryCount(txn),
          times.latency(),
          times.changes(),
          times.largest(),
          snapshots.length,
          Math.max(
              0,
              info.lastTransactionId
                  - Arrays.stream(snapshots).min().orElse(info.lastTransactionId)));
    }
  }
}
