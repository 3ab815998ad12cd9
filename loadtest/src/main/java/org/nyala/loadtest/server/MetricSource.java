package org.nyala.loadtest.server;

import java.util.Map;
import org.nyala.loadtest.workload.LoadTestException;

/** A place from which a server's own figures are read, over a connection of its own. */
interface MetricSource extends AutoCloseable {
  /** The bound of the figures of one source. */
  int MOST_METRICS = 1000;

  /** The longest time for a connection, and for an answer, in seconds. */
  double PATIENCE_SECONDS = 5;

  /** The source as the command line names it. */
  String name();

  /**
   * Reads all figures; connects if there is no connection, or none any more.
   *
   * @throws LoadTestException if the source does not answer, or has no figures
   */
  Map<Metric, Double> read() throws LoadTestException, InterruptedException;

  @Override
  void close();
}
