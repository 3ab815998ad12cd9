package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.KeptData;
import org.nyala.lmdb.env.StagedDirectory;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.ImportStore;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.rejection.RefusedEntries;

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
  private final InstantSource clock;
  private RefusedEntries refused = RefusedEntries.NONE;
  private ImportExamination examination = _ -> Map.of();
  private Optional<Path> kept = Optional.empty();

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
    this.clock = clock;
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

  /** Has the new data examined before it takes the place of the old data. */
  public LdifImport examinedBy(ImportExamination other) {
    examination = other;
    return this;
  }

  /**
   * Imports the sources as {@link #run(List, Path)} does, with the same result, into a new folder
   * that is deleted afterwards. If all records are rejected, there is nothing to examine.
   *
   * @param folder the folder to make; made and deleted with those above it that do not exist
   * @throws StoreException with the reason, if the sources cannot be read or the data cannot be
   *     built
   */
  public ImportResult tryOut(List<ImportSource> sources, Path folder) {
    start(sources);
    try {
      return run(sources, StagedDirectory.prepare(folder, false), false);
    } catch (IOException | LmdbException e) {
      throw new StoreException("the check failed: " + FileFailures.reason(e), e);
    }
  }

  private void start(List<ImportSource> sources) {
    startNanos = nanoClock.getAsLong();
    lastProgressNanos = startNanos;
    bytesTotal = bytesTotal(sources);
  }

  /**
   * Imports the sources, in their order, into a data directory; to be called once.
   *
   * @throws StoreException with the reason, if nothing was changed; or, as the message then states,
   *     if the new data is in place but the last steps failed
   */
  public ImportResult run(List<ImportSource> sources, Path dataDirectory) {
    start(sources);
    try {
      requireOtherRejectFile(sources);
      return run(sources, StagedDirectory.prepare(dataDirectory, settings.replace()), true);
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
    start(sources);
    try {
      requireOtherRejectFile(sources);
      ImportResult result = build(sources, store, temporary);
      requireEntries(result);
      report(ImportStatus.Phase.DONE, result.entriesRejected(), 1);
      return result;
    } catch (IOException e) {
      throw new StoreException("the import failed: " + FileFailures.reason(e), e);
    }
  }

  private ImportResult run(List<ImportSource> sources, StagedDirectory prepared, boolean isKept)
      throws IOException {
    try (StagedDirectory directory = prepared) {
      KeptData keeping = new KeptData(directory, "import");
      if (isKept) {
        keeping.settleInterrupted();
      }
      ImportResult result = examined(sources, directory);
      if (!isKept) {
        return result;
      }
      requireEntries(result);
      if (Files.exists(directory.dataFile())) {
        requireFewRejected(result);
      }
      report(ImportStatus.Phase.SYNCING, result.entriesRejected(), 1);
      kept = keeping.swap(settings.discardsOld(), clock.instant());
      report(ImportStatus.Phase.DONE, result.entriesRejected(), 1);
      return result;
    }
  }

  /** Requires that what replaces data is not a small part of a file. */
  private void requireFewRejected(ImportResult result) {
    int percent = settings.maximumRejectedPercent();
    if (result.entriesRejected() * 100 > result.entriesRead() * percent) {
      throw new StoreException(
          String.format(
              Locale.ROOT,
              "%d of %d entries were rejected, more than %d %% (--maximum-rejected): nothing was"
                  + " changed. %s",
              result.entriesRejected(),
              result.entriesRead(),
              percent,
              String.join("; ", result.firstRejections())));
    }
  }

  /** Returns the folder with the data that was replaced; empty if there was none to keep. */
  public Optional<Path> kept() {
    return kept;
  }

  /** Builds the data, and again without the entries that an examination refuses. */
  private ImportResult examined(List<ImportSource> sources, StagedDirectory directory)
      throws IOException {
    ImportResult result = build(sources, directory.building());
    Map<Dn, String> left =
        result.entriesImported() == 0 ? Map.of() : examination.examine(directory.building());
    if (left.isEmpty()) {
      return result;
    }
    for (ImportSource source : sources) {
      source.requireRepeatable(left.size());
    }
    directory.empty();
    LdifImport again = new LdifImport(definitions, settings, progress, clock, nanoClock);
    again.start(sources);
    again.refused = new RefusedEntries(left, again.shared.nameHash());
    ImportResult second = again.build(sources, directory.building());
    if (second.entriesImported() > 0 && !examination.examine(directory.building()).isEmpty()) {
      throw new StoreException("the input has changed while it was read; nothing was changed");
    }
    return second;
  }

  private ImportResult build(List<ImportSource> sources, Path folder) throws IOException {
    try (ImportStore store = new LmdbImportStore(folder, settings.lmdb())) {
      return build(sources, store, folder);
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
        return result(builder, rejects);
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

  private static void requireEntries(ImportResult result) {
    if (result.entriesImported() > 0) {
      return;
    }
    throw new StoreException(
        result.entriesRejected() == 0
            ? "nothing was imported: the input holds no entries"
            : "nothing was imported: all "
                + result.entriesRejected()
                + " records were rejected; "
                + result.firstRejections().getFirst());
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
        rejects.undefined(),
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
        error = refused.reason(row.high, row.low);
      }
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

  /**
   * Threads that read and prepare batches while another one stores them, in the order of the input.
   *
   * <p>Thread-safe: one thread takes batches and gives them back. There are as many batches as
   * there is work for, so that a fast reader waits for a slow store.
   */
  private static final class ImportPipeline implements AutoCloseable {
    private static final int BATCHES_BESIDES_THREADS = 3;

    private final ImportInput input;
    private final BlockingQueue<ImportBatch> free;
    private final BlockingQueue<CompletableFuture<@Nullable ImportBatch>> prepared;
    private final ReentrantLock reading = new ReentrantLock();
    private final List<Thread> threads = new ArrayList<>();
    private boolean ended;

    /** Starts a thread for every preparer. */
    ImportPipeline(
        ImportInput input, List<ImportPreparer> preparers, int capacity, int multiplier) {
      this.input = input;
      int batches = preparers.size() + BATCHES_BESIDES_THREADS;
      this.free = new ArrayBlockingQueue<>(batches);
      this.prepared = new ArrayBlockingQueue<>(batches + preparers.size());
      for (int i = 0; i < batches; i++) {
        free.add(new ImportBatch(capacity, multiplier));
      }
      for (ImportPreparer preparer : preparers) {
        threads.add(
            Thread.ofPlatform()
                .daemon()
                .name("import-" + threads.size())
                .unstarted(() -> run(preparer)));
      }
      threads.forEach(Thread::start);
    }

    private void run(ImportPreparer preparer) {
      try {
        boolean more = true;
        while (more) {
          more = prepareNext(preparer, free.take());
        }
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }

    private boolean prepareNext(ImportPreparer preparer, ImportBatch batch)
        throws InterruptedException {
      CompletableFuture<@Nullable ImportBatch> promise = new CompletableFuture<>();
      try {
        if (!read(batch, promise)) {
          return false;
        }
        preparer.prepare(batch);
        promise.complete(batch);
        return true;
      } catch (IOException | RuntimeException | Error e) {
        promise.completeExceptionally(e);
        return false;
      }
    }

    /** Reads under the lock, so that promises are in the order of the input. */
    private boolean read(ImportBatch batch, CompletableFuture<@Nullable ImportBatch> promise)
        throws IOException, InterruptedException {
      reading.lockInterruptibly();
      try {
        if (ended) {
          free.add(batch);
          return false;
        }
        prepared.put(promise);
        if (!input.next(batch)) {
          ended = true;
          promise.complete(null);
          free.add(batch);
          return false;
        }
        return true;
      } finally {
        reading.unlock();
      }
    }

    /** Waits for the next batch; null if there is none. */
    @Nullable ImportBatch take() throws IOException {
      try {
        return prepared.take().get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("the import was interrupted", e);
      } catch (ExecutionException e) {
        throw rethrow(e.getCause());
      }
    }

    private static IOException rethrow(@Nullable Throwable cause) {
      return switch (cause) {
        case IOException io -> io;
        case RuntimeException unexpected -> throw unexpected;
        case Error error -> throw error;
        case null, default -> new IOException("the import failed", cause);
      };
    }

    /** Gives back a batch to be filled again. */
    void release(ImportBatch batch) {
      free.add(batch);
    }

    /** Ends the threads; one that waits for standard input is left behind. */
    @Override
    public void close() {
      threads.forEach(Thread::interrupt);
      try {
        for (Thread thread : threads) {
          thread.join(Duration.ofSeconds(2));
        }
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
