package org.nyala.loadtest.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;

/**
 * The reasons for which the figures of a test may not be those of the server alone. Immutable.
 *
 * @param all one phrase for each reason; empty if there is none
 */
record Reservations(List<String> all) {
  /** The use of processors from which on they are a limit, 0 to 1. */
  private static final double FULL = 0.95;

  /** The same of the processors of event loops, which also wait for one another. */
  private static final double FULL_LOOPS = 0.9;

  /** The operations of which ten are above p99. */
  private static final long FEWEST_OPERATIONS = 1000;

  private static final String NONE =
      "nothing disturbed the load tester, and the machine was not at its limit";

  Reservations {
    all = List.copyOf(all);
  }

  /** Returns what is to be said about a test. */
  static Reservations of(LoadReport report) {
    List<String> all = new ArrayList<>();
    List<IntervalSample> intervals = report.intervals();
    long disturbed = Disturbance.count(intervals);
    if (report.isDisturbed()) {
      all.add(Disturbance.warning(intervals));
    } else if (disturbed > 0) {
      all.add(
          "the load tester was disturbed in "
              + disturbed
              + " of "
              + intervals.size()
              + " intervals");
    }
    int loops = report.settings().loops();
    double clientCores = cores(report.resources().client().cpuNanos(), report.seconds());
    if (clientCores >= FULL_LOOPS * loops) {
      all.add(
          String.format(
              Locale.ROOT,
              "the load tester used %.2f processors for its %s, and may be the limit itself%s",
              clientCores,
              ReportText.counted(loops, "event loop"),
              report.settings().job() == JobKind.TLS_HANDSHAKE
                  ? ", since a handshake takes a client about as much as the server: more --threads"
                      + " or --agents help"
                  : ""));
    }
    int processors = Runtime.getRuntime().availableProcessors();
    double busy = busyCores(intervals);
    if (busy >= FULL * processors) {
      all.add(
          String.format(
              Locale.ROOT,
              "%s of this machine %s in use (%.0f %%), so that the machine is part of the limit",
              processors == 1 ? "the processor" : "all " + processors + " processors",
              processors == 1 ? "was" : "were",
              100 * busy / processors));
    }
    long timed = report.corrected().getTotalCount();
    if (report.settings().job() != JobKind.IDLE && timed > 0 && timed < FEWEST_OPERATIONS) {
      all.add(
          String.format(
              Locale.ROOT,
              "%s few for the 99th percentile",
              timed == 1 ? "1 operation is" : timed + " operations are"));
    }
    return new Reservations(all);
  }

  private static double cores(long nanos, double seconds) {
    return nanos < 0 ? 0 : nanos / 1e9 / seconds;
  }

  /** The processors of this machine at work on average; 0 if not known. */
  private static double busyCores(List<IntervalSample> intervals) {
    double sum = 0;
    double seconds = 0;
    for (IntervalSample sample : intervals) {
      if (!Double.isNaN(sample.busyCores())) {
        sum += sample.busyCores() * sample.seconds();
        seconds += sample.seconds();
      }
    }
    return seconds == 0 ? 0 : sum / seconds;
  }

  /** All of them in words, or that there is none. */
  String text() {
    return all.isEmpty() ? NONE : String.join("; ", all);
  }
}
