package org.nyala.loadtest.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * Writes the times of every interval of the measured period as a log that HdrHistogram's tools
 * read: nanoseconds, one line for each interval, job and kind of time; the tag of a line is {@code
 * JOB-corrected} or {@code JOB-uncorrected}. Confined to the thread that runs a test.
 */
public final class HistogramLog implements LoadListener, AutoCloseable {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final PrintStream out;
  private final HistogramLogWriter log;
  private final long startMillis;

  /**
   * Begins a log.
   *
   * @param file is overwritten
   * @param startMillis the start of the test, in milliseconds since 1970
   */
  public HistogramLog(Path file, long startMillis) throws IOException {
    this.out = new PrintStream(Files.newOutputStream(file), false, UTF_8);
    this.log = new HistogramLogWriter(out);
    this.startMillis = startMillis;
    log.outputComment("times of operations in nanoseconds, nyala-loadtest");
    log.outputLogFormatVersion();
    log.outputStartTime(startMillis);
    log.outputLegend();
  }

  @Override
  public void interval(
      LoadSettings part, IntervalSample sample, Histogram corrected, Histogram uncorrected) {
    if (!sample.isWarmup()) {
      String job = part.job().label();
      write(job + "-corrected", sample, corrected);
      write(job + "-uncorrected", sample, uncorrected);
    }
  }

  private void write(String tag, IntervalSample sample, Histogram times) {
    String before = times.getTag();
    times.setTag(tag);
    double start = startMillis / MILLIS_PER_SECOND + sample.startSeconds();
    log.outputIntervalHistogram(start, start + sample.seconds(), times, NANOS_PER_MILLI);
    times.setTag(before);
  }

  @Override
  public void close() {
    out.close();
  }
}
