package org.nyala.management.meter;

import static org.nyala.management.meter.Meter.counter;
import static org.nyala.management.meter.Meter.gauge;

import io.micrometer.core.instrument.Tags;
import java.util.List;
import org.nyala.core.backend.Csn;
import org.nyala.lmdb.env.StoreHealth;

/**
 * The meters of the store: its size, commits, readers, journal, and the changes that wait for it.
 *
 * <p>Immutable. All of them come from one status of the store, which takes no lock of the writer
 * and reads no entries.
 */
final class StoreMeters {
  private static final String BYTES = "bytes";
  private static final Csn NO_CHANGE = new Csn(0, 0, 0, 0);

  private StoreMeters() {}

  static List<Meter> all() {
    return List.of(
        entries(),
        used(),
        gauge(r -> r.store().space().mapBytes()).file(Counter.STORE_MAP_BYTES),
        maximum(),
        fill(),
        diskFree(),
        gauge(r -> r.store().space().diskBytes()).file(Counter.STORE_DISK_BYTES),
        gauge(r -> r.server().notices().raised().size()).file(Counter.ALARMS),
        gauge(r -> r.server().readOnly().getAsBoolean() ? 1 : 0)
            .metric(
                "ldap.server.read.only",
                "1 if every change is refused, by the configuration or nyala read-only.",
                Tags.empty(),
                null)
            .file(Counter.READ_ONLY),
        openReads(),
        readerSlots(),
        maximumReaderSlots(),
        oldestReadAge(),
        oldestReadCommits(),
        counter(r -> r.store().transactions()).file(Counter.STORE_LAST_TRANSACTION),
        commits(),
        commitSeconds(),
        changes(),
        failures(),
        gauge(r -> r.store().commits().lastMillis()).file(Counter.STORE_LAST_COMMIT_MILLIS),
        gauge(r -> r.store().commits().failures().lastMillis())
            .file(Counter.STORE_LAST_FAILURE_MILLIS),
        updatesQueued(),
        updatesRefused(),
        gauge(r -> r.store().journal().changes()).file(Counter.JOURNAL_CHANGES),
        gauge(r -> r.store().journal().bytes()).file(Counter.JOURNAL_BYTES),
        gauge(r -> r.store().journal().oldestMillis()).file(Counter.JOURNAL_OLDEST_MILLIS),
        gauge(r -> newest(r).micros()).file(Counter.JOURNAL_NEWEST_MICROS),
        gauge(r -> newest(r).parts()).file(Counter.JOURNAL_NEWEST_PARTS),
        gauge(r -> state(r.server().store().health())).file(Counter.STORE_STATE));
  }

  private static long state(StoreHealth health) {
    if (!health.isUsable()) {
      return Counters.STORE_FAILS;
    }
    return health.isWritable() ? Counters.STORE_WRITABLE : Counters.STORE_READABLE;
  }

  private static Meter entries() {
    return gauge(r -> r.store().entries())
        .metric("ldap.server.store.entries", "Entries of the store.")
        .file(Counter.STORE_ENTRIES);
  }

  private static Meter used() {
    return gauge(r -> r.store().space().usedBytes())
        .metric(
            "ldap.server.store.used",
            "Bytes that the data file has grown to; freed space in it is used again.",
            Tags.empty(),
            BYTES)
        .file(Counter.STORE_USED_BYTES);
  }

  private static Meter maximum() {
    return gauge(r -> r.store().space().maximumBytes())
        .metric(
            "ldap.server.store.maximum",
            "Bytes that the data file may grow to: store.maximumMapSizeGiB.",
            Tags.empty(),
            BYTES)
        .file(Counter.STORE_MAXIMUM_BYTES);
  }

  private static Meter fill() {
    return gauge(r -> Meter.ratio(r.store().space().usedBytes(), r.store().space().maximumBytes()))
        .metric(
            "ldap.server.store.fill",
            "The part of its maximum that the data file has grown to, from 0 to 1.",
            Tags.empty(),
            Meter.RATIO);
  }

  private static Meter diskFree() {
    return gauge(r -> r.store().space().diskFreeBytes())
        .metric(
            "ldap.server.store.disk.free",
            "Bytes that are free on the disk of the data; -1 if that is not known.",
            Tags.empty(),
            BYTES)
        .file(Counter.STORE_DISK_FREE_BYTES);
  }

  private static Meter openReads() {
    return gauge(r -> r.store().readers().reading())
        .metric("ldap.server.store.reads.open", "Open reads of the server.")
        .file(Counter.STORE_OPEN_READS);
  }

  private static Meter readerSlots() {
    return gauge(r -> r.store().readers().slots())
        .metric(
            "ldap.server.store.reader.slots",
            "Reader slots in use, over all processes; a slot stays in use between two reads.");
  }

  private static Meter maximumReaderSlots() {
    return gauge(r -> r.store().readers().maximumSlots())
        .metric("ldap.server.store.reader.slots.maximum", "Reader slots: store.maximumReaders.");
  }

  private static Meter oldestReadAge() {
    return gauge(r -> r.store().oldestRead().nanos())
        .metric(
            "ldap.server.store.oldest.read.age",
            "For how long the oldest read of any process has been behind the last commit; 0 if none"
                + " is. Exact to a second.",
            Tags.empty(),
            Meter.SECONDS);
  }

  private static Meter oldestReadCommits() {
    return gauge(r -> r.store().oldestRead().behind())
        .metric(
            "ldap.server.store.oldest.read.commits",
            "Commits since the oldest read began: what they have freed is not used again yet.");
  }

  private static Meter commits() {
    return counter(r -> r.store().commits().durations().count())
        .metric("ldap.server.store.commits", "Commits.")
        .file(Counter.STORE_COMMITS);
  }

  private static Meter commitSeconds() {
    return counter(r -> r.store().commits().durations().sumNanos())
        .metric(
            "ldap.server.store.commit.seconds",
            "The time that commits took, the wait for the disk included.",
            Tags.empty(),
            Meter.SECONDS);
  }

  private static Meter changes() {
    return counter(r -> r.store().commits().changes())
        .metric("ldap.server.store.changes", "Entries that were changed, added or deleted.")
        .file(Counter.STORE_CHANGES);
  }

  private static Meter failures() {
    return counter(r -> r.store().commits().failures().count())
        .metric(
            "ldap.server.store.commit.failures",
            "Transactions that could not be stored: the disk or the store is full, or the disk is"
                + " broken.")
        .file(Counter.STORE_FAILURES);
  }

  private static Meter updatesQueued() {
    return gauge(r -> r.server().updatesQueued().getAsInt())
        .metric("ldap.server.updates.queued", "Changes that wait for the writer.")
        .file(Counter.UPDATES_QUEUED);
  }

  private static Meter updatesRefused() {
    return counter(r -> r.server().updatesRefused().getAsLong())
        .metric(
            "ldap.server.updates.refused",
            "Changes answered busy because limits.writeQueue were already waiting.")
        .file(Counter.UPDATES_REFUSED);
  }

  private static Csn newest(Meter.Reading reading) {
    Csn newest = reading.store().journal().newest();
    return newest == null ? NO_CHANGE : newest;
  }
}
