package org.nyala.server;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.Version;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.admin.BackupManifest;
import org.nyala.lmdb.admin.StoreBackup;
import org.nyala.lmdb.admin.StoreCompaction;
import org.nyala.management.Notifications;
import org.nyala.management.bean.JobsMXBean;
import org.nyala.management.bean.NoticeKind;

/**
 * The long work of a running server that is requested over JMX.
 *
 * <p>Thread-safe. Closing it waits some seconds for a backup or a compaction that goes on; a backup
 * that is not done then has no manifest, and no restore takes it; the remains of a compaction are
 * deleted by the next start.
 */
final class ServerJobs implements JobsMXBean, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ServerJobs.class.getName());
  private static final int CLOSE_WAIT_MILLIS = 3000;
  private static final int PERCENT = 100;

  private final LmdbBackend backend;
  private final NyalaConfig configuration;
  private final IndexRequests indexes;
  private final InstantSource clock;
  private final Notifications notices;
  private final Deque<Job> jobs = new ArrayDeque<>();
  private long last;
  private @Nullable Thread copying;
  private @Nullable StoreCompaction compaction;
  private boolean isBackingUp;

  /**
   * Creates a list without jobs.
   *
   * @param indexes carries out changes of indexes
   * @param clock dates jobs
   * @param notices hear of jobs that have ended
   */
  ServerJobs(
      LmdbBackend backend,
      NyalaConfig configuration,
      IndexRequests indexes,
      InstantSource clock,
      Notifications notices) {
    this.backend = backend;
    this.configuration = configuration;
    this.indexes = indexes;
    this.clock = clock;
    this.notices = notices;
  }

  @Override
  public synchronized List<Job> getJobs() {
    return new ArrayList<>(jobs);
  }

  @Override
  public synchronized int getRunning() {
    return (int) jobs.stream().filter(job -> job.state().equals(RUNNING)).count();
  }

  @Override
  public long addIndex(String index) {
    return change(IndexChange.Action.ADD, index);
  }

  @Override
  public long rebuildIndex(String index) {
    return change(IndexChange.Action.REBUILD, index);
  }

  @Override
  public long dropIndex(String index) {
    return change(IndexChange.Action.DROP, index);
  }

  private long change(IndexChange.Action action, String index) {
    requireNoCompaction();
    String work = "index " + action.name().toLowerCase(Locale.ROOT) + ' ' + index;
    long number = begin(work);
    boolean hasBegun = false;
    try {
      indexes.begin(action, index, progress -> tell(number, progress));
      hasBegun = true;
      return number;
    } catch (CommandException e) {
      // Without the cause, whose class a JMX client does not have.
      throw new IllegalArgumentException(ErrorMessages.line(e));
    } catch (RuntimeException e) {
      IndexRequests.log(work + " failed", e);
      throw new IllegalStateException(ErrorMessages.explain(e));
    } finally {
      if (!hasBegun) {
        forget(number);
      }
    }
  }

  private void tell(long number, IndexRequests.Progress progress) {
    switch (progress.state()) {
      case WORKING -> {
        IndexChange.Progress done = IndexChange.progress(backend.indexProgress());
        update(number, RUNNING, done.done(), done.total(), progress.line());
      }
      case DONE -> end(number, DONE, progress.line());
      case FAILED -> end(number, FAILED, progress.line());
    }
  }

  @Override
  public synchronized long backUp(String directory) {
    Path target = Path.of(directory);
    if (!target.isAbsolute()) {
      throw new IllegalArgumentException("expected an absolute path, found " + directory);
    }
    if (isBackingUp) {
      throw new IllegalStateException("a backup goes on already");
    }
    requireNoCompaction();
    long number = begin("backup " + target);
    isBackingUp = true;
    copying =
        Thread.ofPlatform().daemon().name("nyala-backup-job").start(() -> backUp(number, target));
    return number;
  }

  private void backUp(long number, Path target) {
    try {
      BackupManifest manifest =
          StoreBackup.write(
              backend,
              configuration.store(),
              target,
              Version.program(),
              clock,
              (phase, done, total) ->
                  update(
                      number,
                      RUNNING,
                      done,
                      total,
                      phase.name().toLowerCase(Locale.ROOT)
                          + (total == 0 ? "" : ", " + PERCENT * done / total + " %")));
      allowBackup();
      end(number, DONE, "backed up " + manifest.entries() + " entries");
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "backup {0}: {1}", target, ErrorMessages.explain(e));
      allowBackup();
      end(number, FAILED, ErrorMessages.explain(e));
    }
  }

  /* Before the job is said to have ended: who hears of that may begin the next one. */
  private synchronized void allowBackup() {
    isBackingUp = false;
  }

  private synchronized void requireNoCompaction() {
    if (compaction != null) {
      throw new IllegalStateException("a compaction goes on already");
    }
  }

  @Override
  public synchronized long compact() {
    for (Job job : jobs) {
      if (job.state().equals(RUNNING)) {
        throw new IllegalStateException("'" + job.work() + "' goes on: compact when it has ended");
      }
    }
    if (!backend.indexProgress().isEmpty()) {
      throw new IllegalStateException("work on indexes goes on: compact when it has ended");
    }
    long number = begin("compact");
    StoreCompaction begun =
        new StoreCompaction(
            backend,
            configuration.store(),
            (step, done, total) ->
                update(number, RUNNING, done, total, Compactions.progress(step, done, total)));
    compaction = begun;
    copying =
        Thread.ofPlatform().daemon().name("nyala-compaction").start(() -> compact(number, begun));
    return number;
  }

  private void compact(long number, StoreCompaction begun) {
    long startNanos = System.nanoTime();
    try {
      String line = Compactions.result(begun.run(), System.nanoTime() - startNanos);
      allowJobs();
      end(number, DONE, line);
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "compact: {0}", ErrorMessages.explain(e));
      allowJobs();
      end(number, FAILED, ErrorMessages.explain(e));
    }
  }

  private synchronized void allowJobs() {
    compaction = null;
  }

  /** Gives a compaction up, whose copy may take long: changes that it holds up go on. */
  void stopping() {
    StoreCompaction running;
    synchronized (this) {
      running = compaction;
    }
    if (running != null) {
      running.cancel();
    }
  }

  private synchronized long begin(String work) {
    if (jobs.size() >= REMEMBERED) {
      forgetOldest();
    }
    long number = ++last;
    jobs.addLast(new Job(number, work, RUNNING, clock.millis(), 0, 0, 0, ""));
    return number;
  }

  /** Of those that have ended: who has begun a job wants to know what becomes of it. */
  private void forgetOldest() {
    for (Job job : jobs) {
      if (!job.state().equals(RUNNING)) {
        jobs.remove(job);
        return;
      }
    }
    throw new IllegalStateException(REMEMBERED + " jobs go on already");
  }

  private synchronized void forget(long number) {
    jobs.removeIf(job -> job.number() == number);
  }

  private void end(long number, String state, String message) {
    String work = "";
    synchronized (this) {
      for (Job job : List.copyOf(jobs)) {
        if (job.number() == number) {
          work = job.work();
          update(number, state, job.total(), job.total(), message);
        }
      }
    }
    LOG.log(System.Logger.Level.INFO, "{0}: {1}, {2}", work, state, message);
    notices.tell(
        state.equals(DONE) ? NoticeKind.JOB_DONE : NoticeKind.JOB_FAILED,
        work + ": " + message,
        Map.of("number", number, "work", work));
  }

  private synchronized void update(
      long number, String state, long done, long total, String message) {
    List<Job> changed = new ArrayList<>(jobs.size());
    for (Job job : jobs) {
      changed.add(job.number() == number ? job(job, state, done, total, message) : job);
    }
    jobs.clear();
    jobs.addAll(changed);
  }

  private Job job(Job job, String state, long done, long total, String message) {
    return new Job(
        job.number(),
        job.work(),
        state,
        job.startMillis(),
        state.equals(RUNNING) ? 0 : clock.millis(),
        state.equals(FAILED) ? job.done() : done,
        total,
        message);
  }

  /** Waits for a backup or a compaction that goes on. */
  @Override
  public void close() {
    Thread running;
    synchronized (this) {
      running = copying;
    }
    try {
      if (running != null) {
        running.join(CLOSE_WAIT_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
