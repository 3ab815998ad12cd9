package org.nyala.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.jctools.queues.MpscArrayQueue;
import org.nyala.core.contention.Threads;

/**
 * Takes records from any thread and writes them on a thread of its own, so that callers never wait.
 * If records arrive faster than they can be written, they are dropped and counted, and the log
 * reports their number.
 *
 * <p>Thread-safe. Closing it writes the records in the queue.
 */
final class LogWriter implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(LogWriter.class.getName());

  /** The interval at which the writer polls the queue: waking it would cost a system call. */
  private static final long NAP_NANOS = 10_000_000;

  /**
   * The interval while records come, so that little is to be done at a time: clients of a busy
   * processor would wait for it.
   */
  private static final long SHORT_NAP_NANOS = 2_000_000;

  private static final int BATCH = 512;

  private final LogSettings settings;
  private final LogFile file;
  private final LongFunction<String> dropNotice;
  private final MpscArrayQueue<LogRecord> queue;
  private final AtomicLong queuedBytes = new AtomicLong();
  private final LongAdder dropped = new LongAdder();
  private final StringBuilder text = new StringBuilder();
  private final Thread thread;
  private long droppedTold;
  private boolean failing;
  private volatile boolean stopping;

  private LogWriter(LogSettings settings, String name, LongFunction<String> dropNotice) {
    this.settings = settings;
    this.file = new LogFile(settings);
    this.dropNotice = dropNotice;
    this.queue = new MpscArrayQueue<>(settings.queueRecords());
    this.thread = Thread.ofPlatform().daemon().name("nyala-log-" + name).unstarted(this::run);
  }

  /**
   * Opens the file and starts writing.
   *
   * @param name the kind of the log
   * @param dropNotice the lines that report dropped records, each with its line end
   * @throws IOException if the file cannot be written
   */
  static LogWriter start(LogSettings settings, String name, LongFunction<String> dropNotice)
      throws IOException {
    LogWriter writer = new LogWriter(settings, name, dropNotice);
    writer.file.open();
    writer.thread.start();
    return writer;
  }

  /**
   * Adds a record, or drops it if the part of the queue is full that its rank may take. Never
   * blocks. Any thread.
   */
  void add(LogRecord logRecord) {
    long bytes = logRecord.bytes();
    LogRecord.Rank rank = logRecord.rank();
    if (queuedBytes.addAndGet(bytes) > rank.of(settings.queueBytes())
        || !queue.offerIfBelowThreshold(logRecord, (int) rank.of(queue.capacity()))) {
      queuedBytes.addAndGet(-bytes);
      dropped.increment();
    }
  }

  /** Returns the number of records that were dropped or could not be written. Any thread. */
  long dropped() {
    return dropped.sum();
  }

  private void run() {
    List<LogRecord> batch = new ArrayList<>(BATCH);
    boolean last;
    do {
      last = stopping;
      boolean wasIdle = true;
      while (queue.drain(batch::add, BATCH) > 0) {
        wasIdle = false;
        write(batch);
        batch.clear();
      }
      tellOfDrops();
      if (!last) {
        LockSupport.parkNanos(this, wasIdle ? NAP_NANOS : SHORT_NAP_NANOS);
        // This thread is never interrupted on purpose.
        Thread.interrupted();
      }
    } while (!last);
  }

  private void write(List<LogRecord> batch) {
    long bytes = 0;
    for (LogRecord each : batch) {
      bytes += each.bytes();
      try {
        each.appendTo(text);
      } catch (RuntimeException e) {
        LOG.log(System.Logger.Level.ERROR, "a log record could not be formatted", e);
        dropped.increment();
      }
    }
    queuedBytes.addAndGet(-bytes);
    append(batch.size());
  }

  private void append(int records) {
    try {
      file.append(text.toString().getBytes(UTF_8));
      failing = false;
    } catch (IOException e) {
      dropped.add(records);
      if (!failing) {
        failing = true;
        LOG.log(
            System.Logger.Level.WARNING,
            "cannot write {0}, records are lost until that is possible again: {1}",
            settings.file(),
            e.toString());
      }
    } finally {
      text.setLength(0);
      if (text.capacity() > 1 << 22) {
        text.trimToSize();
      }
    }
  }

  private void tellOfDrops() {
    long now = dropped.sum();
    if (now > droppedTold) {
      text.append(dropNotice.apply(now - droppedTold));
      append(0);
      droppedTold = failing ? droppedTold : now;
    }
  }

  /** Writes the records in the queue, then closes the file. Idempotent. */
  @Override
  public void close() {
    stopping = true;
    LockSupport.unpark(thread);
    Threads.join(thread);
    try {
      file.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "closing a log: {0}", e.toString());
    }
  }
}
