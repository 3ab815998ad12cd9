package org.nyala.management.page;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.StoreStatus;
import org.nyala.lmdb.env.OldestReader;
import org.nyala.management.bean.JobsMXBean.Job;
import org.nyala.netty.tls.TlsStatus;

/**
 * The sections of the store, of its readers, of jobs and of certificates.
 *
 * <p>Immutable.
 *
 * @param sources what it reads
 */
record StoreSection(PageSources sources) {
  private static final int MOST_LISTED = 20;
  private static final int MOST_INDEXES = 200;
  private static final double MEDIAN = 0.5;
  private static final double MOST = 0.99;

  void write(Moment moment, PageJson json) {
    StoreStatus status = moment.store();
    if (status == null) {
      json.nothing("store");
    } else {
      json.object("store");
      space(status, json);
      commits(status, moment, json);
      readers(status, json);
      indexes(json);
      json.endObject();
    }
    certificates(json);
    jobs(json);
  }

  private static void space(StoreStatus status, PageJson json) {
    json.with("entries", status.entries())
        .with("usedBytes", status.space().usedBytes())
        .with("maximumBytes", status.space().maximumBytes())
        .with("diskBytes", status.space().diskBytes())
        .with("diskFreeBytes", status.space().diskFreeBytes());
  }

  private static void commits(StoreStatus status, Moment moment, PageJson json) {
    StoreStatus.Commits commits = status.commits();
    Figures recent = moment.recent();
    Figures window = moment.window();
    boolean hasSizes = window.sizes().count() > 0;
    json.with("commitsPerSecond", recent.perSecond(recent.commits().count()))
        .with("changesPerSecond", recent.perSecond(recent.changes()))
        .with("commits", commits.durations().count())
        .with("changes", commits.changes())
        .with("commitMedianMicros", Figures.micros(window.commits(), MEDIAN))
        .with("commitPercentile99Micros", Figures.micros(window.commits(), MOST))
        .with("batchMean", PageHistory.mean(window.sizes(), window.changes()))
        // A change counts as a microsecond.
        .with("batchPercentile99", hasSizes ? Figures.micros(window.sizes(), MOST) : Double.NaN)
        .with("largestCommit", commits.largest())
        .with("lastCommitMillis", commits.lastMillis())
        .with("commitFailures", commits.failures().count())
        .with("lastCommitFailure", commits.failures().reason());
  }

  private static void readers(StoreStatus status, PageJson json) {
    StoreStatus.Readers readers = status.readers();
    OldestReader.State oldest = status.oldestRead();
    long own = ProcessHandle.current().pid();
    json.with("openReads", readers.reading())
        .with("otherReads", readers.readingElsewhere())
        .with("readerSlots", readers.slots())
        .with("maximumReaderSlots", readers.maximumSlots())
        .object("oldestRead")
        .with("seconds", TimeUnit.NANOSECONDS.toSeconds(oldest.nanos()))
        .with("commits", oldest.behind())
        .with("process", oldest.process())
        .with("own", oldest.process() == own)
        .endObject()
        .list("readers");
    readers.processes().stream()
        .limit(MOST_LISTED)
        .forEach(
            each ->
                json.object()
                    .with("process", each.process())
                    .with("own", each.process() == own)
                    .with("reads", each.reads())
                    .with("commits", each.behind())
                    .with("command", command(each.process()))
                    .endObject());
    json.endList();
  }

  /** Returns the program of a process; empty if it is not known. */
  private static String command(long process) {
    return ProcessHandle.of(process)
        .flatMap(handle -> handle.info().command())
        .map(path -> String.valueOf(Path.of(path).getFileName()))
        .orElse("");
  }

  private void indexes(PageJson json) {
    LmdbBackend store = sources.parts().store();
    json.list("indexes");
    store.indexes().stream().map(Object::toString).sorted().limit(MOST_INDEXES).forEach(json::item);
    json.endList().list("indexWork");
    store.indexProgress().stream().limit(MOST_LISTED).forEach(each -> json.item(each.toString()));
    json.endList();
  }

  private void certificates(PageJson json) {
    List<TlsStatus> all = sources.parts().certificates().get();
    if (all.isEmpty()) {
      json.nothing("certificates");
      return;
    }
    TlsStatus first = all.stream().min(Comparator.comparing(TlsStatus::end)).orElseThrow();
    json.object("certificates");
    Long days = days(first.end());
    if (days == null) {
      json.nothing("days").nothing("endMillis");
    } else {
      json.with("days", days).with("endMillis", first.end().toEpochMilli());
    }
    json.with("subject", first.ending())
        .with(
            "failure",
            all.stream()
                .map(TlsStatus::failure)
                .filter(each -> !each.isEmpty())
                .distinct()
                .collect(Collectors.joining("; ")))
        .endObject();
  }

  /** Returns the days until a certificate ends; null if that is not known. */
  private static @Nullable Long days(Instant end) {
    return end.equals(Instant.MAX)
        ? null
        : Math.floorDiv(
            Duration.between(Instant.now(), end).toSeconds(), TimeUnit.DAYS.toSeconds(1));
  }

  private void jobs(PageJson json) {
    json.list("jobs");
    sources.jobs().getJobs().stream()
        .sorted(Comparator.comparingLong(Job::number).reversed())
        .limit(MOST_LISTED)
        .forEach(
            job ->
                json.object()
                    .with("number", job.number())
                    .with("work", job.work())
                    .with("state", job.state())
                    .with("startMillis", job.startMillis())
                    .with("endMillis", job.endMillis())
                    .with("done", job.done())
                    .with("total", job.total())
                    .with("message", job.message())
                    .endObject());
    json.endList();
  }
}
