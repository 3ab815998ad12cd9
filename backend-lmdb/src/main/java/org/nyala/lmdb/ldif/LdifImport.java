package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.lmdbjava.LmdbException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.StagedDirectory;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.ImportStore;
import org.nyala.lmdb.format.StoreMeta;

/**
 * Bulk load of a data directory from LDIF, with no server running. The new data is built in a
 * staging directory and takes the old data's place in one step at the end: an import that fails or
 * is killed at any instant leaves the old data as it was.
 *
 * <p>Confined to one running operation.
 */
public final class LdifImport {
  private static final int CHUNK_BYTES = 1 << 18;
  private static final int FIRST_CHUNK_BYTES = 1 << 14;
  private static final long PROGRESS_NANOS = 200_000_000L;

  /*
   * The division of the work between reading and the later phases, to estimate the time left:
   * measured with the default indexes.
   */
  private static final double READING_SHARE = 0.75;
  private static final double INDEXING_SHARE = 0.2;

  private final ExtendedSchema definitions;
  private final ImportSettings settings;
  private final ImportProgress progress;
  private final LongSupplier nanoClock;
  private final SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
  private final int multiplier = random.nextInt();
  private final ImportAttributes attributes;
  private final ImportSuffixes suffixes;
  private final ImportPreparer.Shared shared;
  private long startNanos;
  private long lastProgressNanos;
  private long bytesTotal;
  private long bytesRead;
  private long entriesRead;
  private final LargestCsns csns = new LargestCsns();
  private final ImportWarnings warnings;

  /**
   * Prepares an import.
   *
   * @param definitions the schema; the new store keeps its additions to the schema of the files
   * @param progress receives the status
   * @param clock the clock for createTimestamp and the like
   * @param nanoClock measures durations
   */
  public LdifImport(
      ExtendedSchema definitions,
      ImportSettings settings,
      ImportProgress progress,
      InstantSource clock,
      LongSupplier nanoClock) {
    Schema schema = definitions.schema();
    this.definitions = definitions;
    this.settings = settings;
    this.progress = progress;
    this.nanoClock = nanoClock;
    this.attributes = new ImportAttributes(schema, settings.indexes());
    this.warnings = new ImportWarnings(settings.bounds().changeableBytes());
    this.suffixes = new ImportSuffixes(settings.suffixes());
    this.shared =
        new ImportPreparer.Shared(
            schema,
            settings.limits(),
            attributes,
            suffixes,
            settings.bounds(),
            new ImportGenerator(clock.instant(), settings.writerName(), random.split()),
            settings.lmdb().large(),
            random.nextLong(),
            random.nextLong());
  }

  /**
   * Imports the sources, in their order, into a data directory; to be called once.
   *
   * @throws StoreException with the reason, if nothing was changed; or, as the message then states,
   *     if the new data is in place but the last steps failed
   */
  public ImportResult run(List<ImportSource> sources, Path dataDirectory) {
    startNanos = nanoClock.getAsLong();
    lastProgressNanos = startNanos;
    bytesTotal = bytesTotal(sources);
    try {
      requireOtherRejectFile(sources);
      return run(sources, StagedDirectory.prepare(dataDirectory, settings.replace()));
    } catch (IOException | LmdbException e) {
      throw new StoreException("the import failed: " + FileFailures.reason(e), e);
    }
  }

  /**
   * Imports the sources, in their order, into an empty store of any kind; to be called once.
   *
   * @param store the store, closed by the caller
   * @param temporary an existing folder for temporary files, which are deleted
   * @throws StoreException with the reason, if the store is not complete
   */
  public ImportResult run(List<ImportSource> sources, ImportStore store, Path temporary) {
    startNanos = nanoClock.getAsLong();
    lastProgressNanos = startNanos;
    bytesTotal = bytesTotal(sources);
    try {
      requireOtherRejectFile(sources);
      ImportResult result = build(sources, store, temporary);
      report(ImportStatus.Phase.DONE, result.entriesRejected(), 1);
      return result;
    } catch (IOException e) {
      throw new StoreException("the import failed: " + FileFailures.reason(e), e);
    }
  }

  private ImportResult run(List<ImportSource> sources, StagedDirectory prepared)
      throws IOException {
    try (StagedDirectory directory = prepared) {
      ImportResult result;
      try (ImportStore store = new LmdbImportStore(directory.building(), settings.lmdb())) {
        result = build(sources, store, directory.building());
      }
      report(ImportStatus.Phase.SYNCING, result.entriesRejected(), 1);
      directory.swap();
      report(ImportStatus.Phase.DONE, result.entriesRejected(), 1);
      return result;
    }
  }

  /** Requires that the reject file, which is overwritten, is none of the sources. */
  private void requireOtherRejectFile(List<ImportSource> sources) throws IOException {
    Path rejectFile = settings.rejectFile();
    for (ImportSource source : sources) {
      if (rejectFile != null && source.isFile(rejectFile)) {
        throw new StoreException(
            rejectFile + " is to be imported: name another file for the rejected records");
      }
    }
  }

  private static long bytesTotal(List<ImportSource> sources) {
    long total = 0;
    for (ImportSource source : sources) {
      if (source.bytes() < 0) {
        return -1;
      }
      total += source.bytes();
    }
    return total;
  }

  private ImportResult build(List<ImportSource> sources, ImportStore store, Path temporary)
      throws IOException {
    try (ImportBuilder builder = new ImportBuilder(temporary, store, settings.memoryBytes());
        ImportRejects rejects = new ImportRejects(settings.rejectFile(), sources.size() > 1)) {
      read(sources, temporary, builder, rejects);
      if (builder.size() == 0) {
        throw new StoreException(nothingImported(rejects));
      }
      builder.finish(
          meta(),
          definitions,
          (written, total) ->
              progressIfDue(
                  ImportStatus.Phase.INDEXING,
                  rejects.count(),
                  READING_SHARE + INDEXING_SHARE * written / total));
      return result(builder, rejects);
    }
  }

  /** Returns the meta data of the store; the next entry id is not known here. */
  private StoreMeta meta() {
    StoreMeta meta =
        new StoreMeta(
            1,
            suffixes.names(),
            attributes.table(),
            settings.indexes(),
            1,
            csns.vectors(suffixes.names().size()));
    // The journal begins empty: changes that the data came with are not in it.
    return meta.withJournalFloor(meta.largestCsns());
  }

  private static String nothingImported(ImportRejects rejects) {
    return rejects.count() == 0
        ? "nothing was imported: the input holds no entries"
        : "nothing was imported: all "
            + rejects.count()
            + " records were rejected; "
            + rejects.first().getFirst();
  }

  private ImportResult result(ImportBuilder builder, ImportRejects rejects) {
    long imported = builder.size();
    if (entriesRead != imported + rejects.count()) {
      throw new StoreException(
          "of "
              + entriesRead
              + " records "
              + imported
              + " were imported and "
              + rejects.count()
              + " rejected; nothing was changed");
    }
    return new ImportResult(
        entriesRead,
        imported,
        rejects.count(),
        suffixes.names(),
        rejects.first(),
        rejects.causes(),
        warnings.lines(),
        bytesRead,
        nanoClock.getAsLong() - startNanos);
  }

  private void read(
      List<ImportSource> sources, Path temporary, ImportBuilder builder, ImportRejects rejects)
      throws IOException {
    try (ImportWaiting waiting =
        new ImportWaiting(temporary, builder, rejects, warnings, shared.namer(), multiplier)) {
      try (ImportInput input = new ImportInput(sources, settings.limits())) {
        read(input, builder, rejects, waiting);
      }
      waiting.place(
          () -> progressIfDue(ImportStatus.Phase.READING, rejects.count(), READING_SHARE));
    }
  }

  private void read(
      ImportInput input, ImportBuilder builder, ImportRejects rejects, ImportWaiting waiting)
      throws IOException {
    ImportPreparer first = new ImportPreparer(shared);
    ImportBatch batch = new ImportBatch(FIRST_CHUNK_BYTES, multiplier);
    // The suffix must be known before entries are prepared in parallel.
    do {
      if (!input.next(batch)) {
        return;
      }
      first.prepare(batch);
      store(batch, builder, rejects, waiting);
    } while (!suffixes.isDecided());
    readOn(input, first, builder, rejects, waiting);
  }

  private void readOn(
      ImportInput input,
      ImportPreparer first,
      ImportBuilder builder,
      ImportRejects rejects,
      ImportWaiting waiting)
      throws IOException {
    List<ImportPreparer> preparers = new ArrayList<>();
    preparers.add(first);
    while (preparers.size() < settings.threads()) {
      preparers.add(new ImportPreparer(shared));
    }
    try (ImportPipeline pipeline = new ImportPipeline(input, preparers, CHUNK_BYTES, multiplier)) {
      ImportBatch batch = pipeline.take();
      while (batch != null) {
        store(batch, builder, rejects, waiting);
        pipeline.release(batch);
        batch = pipeline.take();
      }
    }
  }

  private void store(
      ImportBatch batch, ImportBuilder builder, ImportRejects rejects, ImportWaiting waiting)
      throws IOException {
    for (int i = 0; i < batch.size(); i++) {
      ImportBatch.Row row = batch.row(i);
      String error = row.error;
      if (error == null) {
        error = csns.note(row.suffix, row.csns);
      }
      if (error == null && !builder.hasParent(row)) {
        waiting.add(batch, row);
        continue;
      }
      if (error == null) {
        error = builder.add(batch, row);
      }
      if (error == null) {
        warnings.note(batch, row);
      } else {
        rejects.add(batch, row, error);
      }
    }
    entriesRead += batch.size();
    bytesRead = batch.bytesRead;
    double fraction = bytesTotal > 0 ? READING_SHARE * bytesRead / bytesTotal : -1;
    progressIfDue(ImportStatus.Phase.READING, rejects.count(), fraction);
  }

  private void progressIfDue(ImportStatus.Phase phase, long rejected, double fraction) {
    if (nanoClock.getAsLong() - lastProgressNanos >= PROGRESS_NANOS) {
      report(phase, rejected, fraction);
    }
  }

  private void report(ImportStatus.Phase phase, long rejected, double fraction) {
    lastProgressNanos = nanoClock.getAsLong();
    progress.update(
        new ImportStatus(
            phase,
            entriesRead,
            rejected,
            bytesRead,
            bytesTotal,
            fraction,
            lastProgressNanos - startNanos));
  }
}
