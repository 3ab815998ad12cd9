package org.nyala.service;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.nyala.config.SchedulingBounds;
import org.nyala.core.update.CommitPacer;
import org.nyala.core.update.ProcessorUse;
import org.nyala.core.update.ReadPriorityPacer;
import org.nyala.error.ErrorMessages;

/**
 * Paces writers by Linux's accounts of each thread's use of the processors.
 *
 * <p>Stateless.
 */
public final class WriterPace {
  private static final System.Logger LOG = System.getLogger(WriterPace.class.getName());

  /** Linux, sched-stats.rst: nanoseconds run, nanoseconds waited to run, times run. */
  private static final Path SCHEDULED = Path.of("/proc/thread-self/schedstat");

  private static final int LONGEST_LINE = 128;

  private WriterPace() {}

  /**
   * Returns a pacer that leaves the processors to reads when they are scarce. If the system does
   * not report their use, writers never rest, and that is logged.
   *
   * @param sharePercent the largest share of all processors for a writer then, 1 to {@link
   *     SchedulingBounds#WHOLE_PERCENT}
   * @param restMillis the longest rest between two commits, 0 to 1000
   * @param processors the number of processors
   * @param operationsCompleted counts operations that ended, updates included
   * @param nanoClock in nanoseconds
   */
  public static CommitPacer.Source of(
      int sharePercent,
      int restMillis,
      int processors,
      LongSupplier operationsCompleted,
      LongSupplier nanoClock) {
    long restNanos = TimeUnit.MILLISECONDS.toNanos(restMillis);
    double share = sharePercent * processors / (double) SchedulingBounds.WHOLE_PERCENT;
    if (share >= 1 || restMillis == 0) {
      return CommitPacer.Source.UNPACED;
    }
    return () -> {
      try {
        return new ReadPriorityPacer(share, restNanos, operationsCompleted, nanoClock, meter());
      } catch (IOException e) {
        LOG.log(System.Logger.Level.INFO, "the writer is not paced: {0}", ErrorMessages.line(e));
        return CommitPacer.UNPACED;
      }
    };
  }

  /** Returns a meter of the calling thread. */
  static ProcessorUse.Meter meter() throws IOException {
    return new FileMeter(SCHEDULED);
  }

  static ProcessorUse parse(String line) throws IOException {
    String[] numbers = line.strip().split(" ", -1);
    try {
      if (numbers.length >= 2) {
        return new ProcessorUse(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
      }
    } catch (NumberFormatException e) {
      throw new IOException(SCHEDULED + ": " + line, e);
    }
    throw new IOException(SCHEDULED + ": " + line);
  }

  /**
   * Reads the use of a thread from a file of the system. If it cannot be read any more, the meter
   * keeps its last value: the writer continues and never rests.
   *
   * <p>Confined to the thread that it measures.
   */
  static final class FileMeter implements ProcessorUse.Meter {
    private final FileChannel file;
    private final ByteBuffer line = ByteBuffer.allocate(LONGEST_LINE);
    private ProcessorUse last;

    /** Opens the file, which is closed when this object is collected. */
    FileMeter(Path path) throws IOException {
      file = FileChannel.open(path);
      last = readFile();
    }

    @Override
    public ProcessorUse read() {
      try {
        last = readFile();
      } catch (IOException e) {
        LOG.log(System.Logger.Level.DEBUG, "the writer is not paced", e);
      }
      return last;
    }

    private ProcessorUse readFile() throws IOException {
      line.clear();
      file.read(line, 0);
      return parse(new String(line.array(), 0, line.position(), US_ASCII));
    }
  }
}
