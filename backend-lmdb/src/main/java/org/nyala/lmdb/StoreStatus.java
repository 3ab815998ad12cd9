package org.nyala.lmdb;

import java.io.File;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.lmdbjava.EnvInfo;
import org.nyala.core.metrics.Latency;
import org.nyala.lmdb.env.CommitFailures;
import org.nyala.lmdb.env.CommitTimes;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.OldestReader;
import org.nyala.lmdb.env.ReaderSlots;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.journal.JournalReader;
import org.nyala.lmdb.journal.JournalStatus;

/**
 * The use of a store's space and the readers of it, at one moment.
 *
 * <p>Immutable.
 *
 * @param space the sizes of the data file
 * @param readers the reads that are open
 * @param oldestRead the oldest of them: pages that were freed since it began cannot be reused yet
 * @param commits the commits since the server started
 * @param transactions changes committed since the data was imported
 * @param entries entries
 * @param journal the extent of the journal of changes
 */
public record StoreStatus(
    Space space,
    Readers readers,
    OldestReader.State oldestRead,
    Commits commits,
    long transactions,
    long entries,
    JournalStatus journal) {
  /**
   * The sizes of the data file, in bytes.
   *
   * @param mapBytes address space: when the file outgrows it, the server enlarges it, for which
   *     reads wait a moment
   * @param maximumBytes the size that the file may grow to
   * @param usedBytes the size that it has grown to; space that was freed in it is reused
   * @param pageBytes the size of a page
   * @param diskBytes the size of the file system that the file is on; 0 if it is not known
   * @param diskFreeBytes the part of it that the process may use; -1 if it is not known
   */
  public record Space(
      long mapBytes,
      long maximumBytes,
      long usedBytes,
      int pageBytes,
      long diskBytes,
      long diskFreeBytes) {}

  /**
   * The reads that are open.
   *
   * @param slots reader slots that are taken, over all processes
   * @param maximumSlots reader slots in all
   * @param reading open reads of this process
   * @param readingElsewhere open reads of other processes, such as exports
   * @param processes the processes that read, the one with the oldest read first
   */
  public record Readers(
      int slots,
      int maximumSlots,
      int reading,
      int readingElsewhere,
      List<ReadingProcess> processes) {
    public Readers {
      processes = List.copyOf(processes);
    }
  }

  /**
   * A process with open reads.
   *
   * @param process its id
   * @param reads the number of its open reads
   * @param behind the commits since the oldest of them began
   */
  public record ReadingProcess(long process, int reads, long behind) {
    private static List<ReadingProcess> of(List<ReaderSlots.Place> places, long last) {
      Map<Long, LongSummaryStatistics> snapshots = new TreeMap<>();
      for (ReaderSlots.Place each : places) {
        snapshots
            .computeIfAbsent(each.process(), _ -> new LongSummaryStatistics())
            .accept(each.snapshot());
      }
      List<ReadingProcess> processes = new ArrayList<>();
      snapshots.forEach(
          (process, of) ->
              processes.add(
                  new ReadingProcess(
                      process, (int) of.getCount(), Math.max(0, last - of.getMin()))));
      processes.sort(Comparator.comparingLong(ReadingProcess::behind).reversed());
      return processes;
    }
  }

  /**
   * The commits since the server started.
   *
   * @param durations their durations, including the wait for the disk
   * @param sizes numbers of changes of those that carried any; a change counts as a microsecond
   * @param changes entries that they have changed, added or deleted
   * @param largest the largest number of changes in one of them
   * @param lastMillis when the last one was on disk, in milliseconds since 1970; 0 if there was
   *     none
   * @param failures changes that could not be stored
   */
  public record Commits(
      Latency durations,
      Latency sizes,
      long changes,
      long largest,
      long lastMillis,
      CommitFailures failures) {
    private static Commits of(CommitTimes times) {
      return new Commits(
          times.latency(),
          times.sizes(),
          times.changes(),
          times.largest(),
          times.lastMillis(),
          times.failures());
    }
  }

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
    File disk = environment.directory().toFile();
    long diskBytes = disk.getTotalSpace();
    long elsewhere = all.stream().filter(place -> place.process() != own).count();
    try (TxnHandle slot = new TxnHandle(environment);
        JournalReader journal = new JournalReader(slot)) {
      EnvInfo info = environment.env().info();
      int pageBytes = environment.pageBytes();
      OldestReader.State oldest =
          environment.oldestRead().look(all, info.lastTransactionId, times.now());
      return new StoreStatus(
          new Space(
              info.mapSize,
              Math.max(maximumBytes, info.mapSize),
              (info.lastPageNumber + 1) * pageBytes,
              pageBytes,
              diskBytes,
              diskBytes == 0 ? -1 : disk.getUsableSpace()),
          new Readers(
              info.numReaders,
              info.maxReaders,
              ours.size(),
              (int) elsewhere,
              ReadingProcess.of(all, info.lastTransactionId)),
          oldest,
          Commits.of(times),
          info.lastTransactionId,
          environment.entryCount(slot.txn()),
          journal.status());
    }
  }
}
