package org.nyala.lmdb.env;

import java.util.concurrent.CountDownLatch;

/**
 * A job whose unfinished files are deleted if the process is asked to end (SIGTERM, Ctrl-C) before
 * the job does.
 *
 * <p>Thread-safe. The job runs in one thread, the deletion in another, while the process ends: the
 * job's thread may still be at work, fails for want of its files, and stops in {@link #decide} or
 * {@link #end}, so that it reports nothing.
 */
public final class JobGuard implements AutoCloseable {
  /** A step after which the files are no longer unfinished ones. */
  @FunctionalInterface
  public interface Decision<E extends Exception> {
    /** Carries it out. */
    void run() throws E;
  }

  private static volatile boolean isAnyAbandoned;

  private final Runnable deletion;
  private final Thread hook = new Thread(this::processEnds, "nyala-unfinished");
  private boolean isOver;
  private boolean isAbandoned;

  private JobGuard(Runnable deletion) {
    this.deletion = deletion;
  }

  /**
   * Begins to guard a job.
   *
   * @param deletion deletes what is unfinished; reports no failures
   */
  public static JobGuard begin(Runnable deletion) {
    JobGuard guard = new JobGuard(deletion);
    try {
      Runtime.getRuntime().addShutdownHook(guard.hook);
    } catch (IllegalStateException _) {
      // The process ends already.
    }
    return guard;
  }

  /** Returns a guard that deletes nothing. */
  public static JobGuard none() {
    return new JobGuard(() -> {});
  }

  /**
   * Returns whether the process ends before a job has, whose thread stands still from now on: it
   * must not be waited for.
   */
  public static boolean isAnyAbandoned() {
    return isAnyAbandoned;
  }

  /**
   * Takes the step that makes the files finished ones; never while they are being deleted, and
   * never returns if they were.
   */
  public <E extends Exception> void decide(Decision<E> step) throws E {
    if (!isTaken(step)) {
      awaitEndOfProcess();
    }
  }

  private synchronized <E extends Exception> boolean isTaken(Decision<E> step) throws E {
    if (!isAbandoned) {
      step.run();
    }
    return !isAbandoned;
  }

  private synchronized void processEnds() {
    if (!isOver) {
      isOver = true;
      isAbandoned = true;
      isAnyAbandoned = true;
      deletion.run();
    }
  }

  /** Ends the guarding. Never returns if the files were deleted: the process ends then. */
  @Override
  public void close() {
    end(() -> {});
  }

  /**
   * Ends the guarding with the last step of the job, such as the deletion of files that it has not
   * finished: a process that is asked to end meanwhile does not do so before the step is done.
   * Never returns if the files were deleted: the process ends then.
   */
  public <E extends Exception> void end(Decision<E> step) throws E {
    try {
      if (!isEnded(step)) {
        awaitEndOfProcess();
      }
    } finally {
      removeHook();
    }
  }

  private synchronized <E extends Exception> boolean isEnded(Decision<E> step) throws E {
    isOver = true;
    if (!isAbandoned) {
      step.run();
    }
    return !isAbandoned;
  }

  private void removeHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // The process ends; the hook has nothing to delete any more.
    }
  }

  private static void awaitEndOfProcess() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
