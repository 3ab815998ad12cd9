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
 * The use of a store's space and the readers of it, at one moment.
 *
 * <p>Immutable.
 *
 * @param mapBytes address space of the data file: when the file outgrows it, the server enlarges
 *     it, for which reads wait a moment
 * @param maximumBytes the size that the data file may grow to
 * @param usedBytes the size that the data file has grown to; space that was freed in it is reused
 * @param pageBytes the size of a page
 * @param readers reader slots that are taken, over all processes
 * @param maximumReaders reader slots in all
 * @param transactions changes committed since the data was imported
 * @param entries entries
 * @param commits durations of commits, including the wait for the disk, since the server started
 * @param sizes numbers of changes of the commits that carried any; a change counts as a microsecond
 * @param changes entries that those commits have changed, added or deleted
 * @param largestCommit the largest number of changes in one commit
 * @param lastCommitMillis when the last commit was on disk, in milliseconds since 1970; 0 if there
 *     was none since the server started
 * @param failures changes that could not be stored
 * @param reading open reads of this process
 * @param readingElsewhere open reads of other processes, such as exports
 * @param oldestReadBehind commits since the oldest open read of all processes began; the pages that
 *     they freed cannot be reused yet
 * @param oldestReadNanos time for which that read has been seen, at least
 * @param oldestReadProcess the process of that read; 0 if no read is behind
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
  /** Returns the status of an open environment and of its readers. */
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
