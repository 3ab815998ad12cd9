package org.nyala.cli.store;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.nyala.cli.command.ProgressLine;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.management.bean.JobsMXBean;
import org.nyala.management.bean.LocalManagement;
import org.nyala.service.RunDirectory;
import org.nyala.service.RunningManagement;

/**
 * Work that a running server carries out as a job, as seen by the command that requests it.
 *
 * <p>Confined to one thread. Nothing is lost if the command ends early: the server goes on.
 */
final class ServedJob {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** A server that stops says so sooner after it has closed its beans. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final RunDirectory run;
  private final ProgressLine progress;
  private final LongSupplier nanoClock;
  private final long startNanos;

  ServedJob(RunDirectory run, ProgressLine progress, LongSupplier nanoClock) {
    this.run = run;
    this.progress = progress;
    this.nanoClock = nanoClock;
    this.startNanos = nanoClock.getAsLong();
  }

  /**
   * Requests a job and waits for its end.
   *
   * @param begin begins it, and returns its number
   * @return the job that has ended; nothing if the server has ended before
   * @throws CommandException if the server refuses the job, or refuses access to this user
   */
  Optional<JobsMXBean.Job> request(RunDirectory.Holder holder, ToLongFunction<JobsMXBean> begin)
      throws IOException {
    String line = "waiting for the server, pid " + holder.pid();
    try (LocalManagement server =
        new RunningManagement(run, () -> "nyala is not running").connect()) {
      JobsMXBean jobs = server.jobs();
      return Optional.of(await(jobs, begin(jobs, begin), line));
    } catch (UndeclaredThrowableException e) {
      awaitEnd(holder.pid(), line);
      return Optional.empty();
    } finally {
      progress.finish();
    }
  }

  private static long begin(JobsMXBean jobs, ToLongFunction<JobsMXBean> begin) {
    try {
      return begin.applyAsLong(jobs);
    } catch (IllegalArgumentException e) {
      throw CommandException.usage(ErrorMessages.line(e));
    } catch (IllegalStateException e) {
      throw CommandException.failed(ErrorMessages.line(e));
    }
  }

  private JobsMXBean.Job await(JobsMXBean jobs, long number, String firstLine) {
    while (true) {
      JobsMXBean.Job job =
          jobs.getJobs().stream()
              .filter(each -> each.number() == number)
              .findFirst()
              .orElseThrow(
                  () -> CommandException.failed("the server has forgotten the job " + number));
      if (!job.state().equals(JobsMXBean.RUNNING)) {
        return job;
      }
      pause(job.message().isEmpty() ? firstLine : job.message());
    }
  }

  /**
   * Waits for a server that has closed its beans: it may complete the work while it stops.
   *
   * @throws CommandException if it does not stop: then only the connection to it was lost
   */
  private void awaitEnd(long pid, String line) {
    long lostNanos = nanoClock.getAsLong();
    Optional<RunDirectory.Holder> left = holder(pid);
    while (left.isPresent()) {
      if (left.get().isReady() && nanoClock.getAsLong() - lostNanos > LOST_NANOS) {
        throw CommandException.failed(
            "the connection to the server (pid " + pid + ") was lost; it goes on with the work");
      }
      pause(line);
      left = holder(pid);
    }
  }

  private Optional<RunDirectory.Holder> holder(long pid) {
    return run.holder().filter(holder -> holder.pid() == pid);
  }

  private void pause(String line) {
    progress.show(() -> line, nanoClock.getAsLong() - startNanos);
    LockSupport.parkNanos(POLL_NANOS);
  }
}
