package org.nyala.lmdb;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.lmdbjava.EnvInfo;
import org.lmdbjava.Txn;
import org.nyala.core.metrics.Latency;
import org.nyala.lmdb.env.CommitFailures;
import org.nyala.lmdb.env.CommitTimes;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.OldestReader;
import org.nyala.lmdb.env.ReaderSlots;

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
 * @param sizes how many changes each of those carried, where any; a change is a microsecond
 * @param changes entries that those have changed, added or deleted
 * @param largestCommit the most that one of them has
 * @param lastCommitMillis when the last commit was on disk, in milliseconds since 1970; 0 where
 *     there was none since the server started
 * @param failures changes that could not be stored
 * @param reading reads of this process that are open
 * @param readingElsewhere reads of other processes that are open, such as exports
 * @param oldestReadBehind commits since the oldest open read of all processes began: what they
 *     freed cannot be used again yet
 * @param oldestReadNanos for how long that one has been seen at least
 * @param oldestReadProcess the process that it is of; 0 where no read is behind
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
    Latency sizes,
    long changes,
    long largestCommit,
    long lastCommitMillis,
    CommitFailures failures,
    int reading,
    int readingElsewhere,
    long oldestReadBehind,
    long oldestReadNanos,
    long oldestReadProcess) {
  /** Looks at an environment that is open, and at those who read it. */
  static StoreStatus of(
      LmdbEnvironment environment, long maximumBytes, Stream<LmdbReader> readers) {
    CommitTimes times = environment.commitTimes();
    long own = ProcessHandle.current().pid();
    List<ReaderSlots.Place> ours =
        readers
            .filter(LmdbReader::isReading)
            .map(reader -> new ReaderSlots.Place(own, reader.snapshot()))
            .toList();
    List<ReaderSlots.Place> all = environment.places();
    if (all == null) {
      all = ours;
    }
    long elsewhere = all.stream().filter(place -> place.process() != own).count();
    try (Txn<ByteBuffer> txn = environment.beginRead()) {
      EnvInfo info = environment.env().info();
      int pageBytes = environment.pageBytes();
      OldestReader.State oldest =
          environment.oldestRead().look(all, info.lastTransactionId, times.now());
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
          times.sizes(),
          times.changes(),
          times.largest(),
          times.lastMillis(),
          times.failures(),
          ours.size(),
          (int) elsewhere,
          oldest.behind(),
          oldest.nanos(),
          oldest.process());
    }
  }
}
