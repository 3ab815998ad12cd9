package org.nyala.management;

import static org.nyala.management.Meter.counter;
import static org.nyala.management.Meter.gauge;

import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.management.openmbean.SimpleType;
import org.nyala.core.backend.Csn;
import org.nyala.lmdb.admin.StoreSpace;
import org.nyala.lmdb.env.StoreHealth;

/**
 * The meters of the store: its size, commits, readers, journal, and the changes that wait for it.
 *
 * <p>Immutable. They come from a status of the store, which takes no lock of the writer and reads
 * no entries; only the free pages are counted.
 */
final class StoreMeters {
  private static final String BYTES = "bytes";
  private static final Csn NO_CHANGE = new Csn(0, 0, 0, 0);

  static final List<Meter> ALL =
      List.of(
          gauge(r -> r.store().entries())
              .metric("store.entries", "Entries of the store.")
              .file(Counter.STORE_ENTRIES)
              .bean("Entries", "The number of entries."),
          gauge(r -> r.store().space().usedBytes())
              .metric(
                  "store.used",
                  "Bytes that the data file has grown to; freed space in it is used again.",
                  BYTES)
              .file(Counter.STORE_USED_BYTES)
              .bean(
                  "UsedBytes",
                  "Bytes that the data file has grown to; freed space is reused, so it never"
                      + " shrinks."),
          gauge(r -> r.store().space().mapBytes())
              .file(Counter.STORE_MAP_BYTES)
              .bean(
                  "MapBytes",
                  "Bytes of address space of the data file; beyond it the server reserves more,"
                      + " while reads pause briefly."),
          gauge(r -> r.store().space().maximumBytes())
              .metric(
                  "store.maximum",
                  "Bytes that the data file may grow to: store.maximumMapSizeGiB.",
                  BYTES)
              .file(Counter.STORE_MAXIMUM_BYTES)
              .bean(
                  "MaximumBytes", "Bytes that the data file may grow to: store.maximumMapSizeGiB."),
          gauge(r -> Meter.ratio(r.store().space().usedBytes(), r.store().space().maximumBytes()))
              .metric(
                  "store.fill",
                  "The part of its maximum that the data file has grown to, from 0 to 1.",
                  Meter.RATIO),
          gauge(r -> r.store().space().pageBytes())
              .bean("PageBytes", SimpleType.INTEGER, "The bytes of a page of the data file."),
          gauge(r -> StoreSpace.of(r.server().store()).free())
              .bean("FreePages", "Free pages of the data file; the size of one is PageBytes."),
          gauge(r -> StoreSpace.of(r.server().store()).heldBack())
              .bean(
                  "PagesHeldBack",
                  "Free pages that cannot be reused yet, because the oldest read may use them."),
          gauge(r -> r.store().space().diskFreeBytes())
              .metric(
                  "store.disk.free",
                  "Bytes that are free on the disk of the data; -1 if that is not known.",
                  BYTES)
              .file(Counter.STORE_DISK_FREE_BYTES),
          gauge(r -> r.store().space().diskBytes()).file(Counter.STORE_DISK_BYTES),
          gauge(r -> r.server().notices().raised().size()).file(Counter.ALARMS),
          gauge(r -> r.server().readOnly().getAsBoolean() ? 1 : 0)
              .metric(
                  "read.only",
                  "1 if every change is refused, by the configuration or nyala read-only.")
              .file(Counter.READ_ONLY),
          gauge(r -> r.store().readers().reading())
              .metric("store.reads.open", "Open reads of the server.")
              .file(Counter.STORE_OPEN_READS)
              .bean("OpenReads", SimpleType.INTEGER, "Open reads of this server."),
          gauge(r -> r.store().readers().readingElsewhere())
              .bean(
                  "OtherReads",
                  SimpleType.INTEGER,
                  "Open reads of other processes, such as exports; 0 if that is unknown."),
          gauge(r -> r.store().readers().slots())
              .metric(
                  "store.reader.slots",
                  "Reader slots in use, over all processes; a slot stays in use between two reads.")
              .bean("Readers", SimpleType.INTEGER, "Reader slots in use, over all processes."),
          gauge(r -> r.store().readers().maximumSlots())
              .metric("store.reader.slots.maximum", "Reader slots: store.maximumReaders.")
              .bean("MaximumReaders", SimpleType.INTEGER, "Reader slots: store.maximumReaders."),
          gauge(r -> r.store().oldestRead().nanos())
              .metric(
                  "store.oldest.read.age",
                  "For how long the oldest read of any process has been behind the last commit; 0"
                      + " if none is. Exact to a second.",
                  Meter.SECONDS),
          gauge(r -> TimeUnit.NANOSECONDS.toSeconds(r.store().oldestRead().nanos()))
              .bean(
                  "OldestReadSeconds",
                  "Seconds for which the oldest read, of this or another process, has been behind"
                      + " the last commit; 0 if none is. Exact to"
                      + " management.watch.intervalSeconds."),
          gauge(r -> r.store().oldestRead().process())
              .bean(
                  "OldestReadProcess",
                  "The process of that read: the server's own, or that of an export, for example; 0"
                      + " if none is behind."),
          gauge(r -> r.store().oldestRead().behind())
              .metric(
                  "store.oldest.read.commits",
                  "Commits since the oldest read began: what they have freed is not used again yet.")
              .bean(
                  "OldestReadBehind",
                  "Commits since the oldest open read began: the space that they have freed cannot"
                      + " be reused yet."),
          counter(r -> r.store().transactions())
              .file(Counter.STORE_LAST_TRANSACTION)
              .bean(
                  "LastTransaction",
                  "The number of the last committed transaction; increases by one each time."),
          counter(r -> r.store().commits().durations().count())
              .metric("store.commits", "Commits.")
              .file(Counter.STORE_COMMITS),
          counter(r -> r.store().commits().durations().sumNanos())
              .metric(
                  "store.commit.seconds",
                  "The time that commits took, the wait for the disk included.",
                  Meter.SECONDS),
          counter(r -> r.store().commits().changes())
              .metric("store.changes", "Entries that were changed, added or deleted.")
              .file(Counter.STORE_CHANGES)
              .bean("Changes", "Entries changed, added or deleted since the server started."),
          gauge(r -> r.store().commits().largest())
              .bean(
                  "LargestCommit",
                  "The most entries that one commit has changed since the server started."),
          gauge(r -> r.store().commits().lastMillis())
              .file(Counter.STORE_LAST_COMMIT_MILLIS)
              .bean(
                  "LastCommitMillis",
                  "The time at which the last commit was on disk, in milliseconds since 1970; 0 if"
                      + " there was none since the server started."),
          counter(r -> r.store().commits().failures().count())
              .metric(
                  "store.commit.failures",
                  "Transactions that could not be stored: the disk or the store is full, or the"
                      + " disk is broken.")
              .file(Counter.STORE_FAILURES)
              .bean(
                  "CommitFailures",
                  "Transactions that could not be stored since the server started, because of full"
                      + " or broken storage."),
          gauge(r -> r.store().commits().failures().lastMillis())
              .file(Counter.STORE_LAST_FAILURE_MILLIS)
              .bean(
                  "LastCommitFailureMillis",
                  "The time of that failure, in milliseconds since 1970; 0 if there was none."),
          gauge(r -> r.store().commits().failures().isLasting() ? 1 : 0)
              .bean(
                  "Failing",
                  SimpleType.BOOLEAN,
                  "Whether nothing that takes room has been stored since then."),
          gauge(r -> r.server().updatesQueued().getAsInt())
              .metric("updates.queued", "Changes that wait for the writer.")
              .file(Counter.UPDATES_QUEUED)
              .bean(
                  "WaitingChanges",
                  SimpleType.INTEGER,
                  "Changes that wait for the writer; limits.writeQueue bounds them."),
          counter(r -> r.server().updatesRefused().getAsLong())
              .metric(
                  "updates.refused",
                  "Changes answered busy because limits.writeQueue were already waiting.")
              .file(Counter.UPDATES_REFUSED)
              .bean(
                  "RefusedChanges",
                  "Changes answered busy since the server started, because limits.writeQueue were"
                      + " already waiting."),
          gauge(r -> r.store().journal().changes())
              .file(Counter.JOURNAL_CHANGES)
              .bean(
                  "JournalChanges",
                  "Changes in the journal: store.journalChanges, store.journalMebibytes and"
                      + " journalHours bound it."),
          gauge(r -> r.store().journal().bytes())
              .file(Counter.JOURNAL_BYTES)
              .bean("JournalBytes", "Bytes that the journal of changes takes."),
          gauge(r -> r.store().journal().oldestMillis())
              .file(Counter.JOURNAL_OLDEST_MILLIS)
              .bean(
                  "JournalOldestMillis",
                  "The time of the oldest change in the journal, in milliseconds since 1970; 0 if"
                      + " it is empty."),
          gauge(r -> newest(r).micros()).file(Counter.JOURNAL_NEWEST_MICROS),
          gauge(r -> newest(r).parts()).file(Counter.JOURNAL_NEWEST_PARTS),
          gauge(r -> state(r.server().store().health())).file(Counter.STORE_STATE));

  private StoreMeters() {}

  private static Csn newest(Meter.Reading reading) {
    Csn newest = reading.store().journal().newest();
    return newest == null ? NO_CHANGE : newest;
  }

  private static long state(StoreHealth health) {
    if (!health.isUsable()) {
      return Counters.STORE_FAILS;
    }
    return health.isWritable() ? Counters.STORE_WRITABLE : Counters.STORE_READABLE;
  }
}
