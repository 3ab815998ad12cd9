package org.nyala.loadtest.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/** The scans of one server, one step after the other. Confined to the thread that runs them. */
final class ServerScans {
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * One step. Immutable.
   *
   * @param atOnce the number of scans at once
   * @param seconds the average time of a scan; NaN if none ended
   * @param longestSeconds the time of the longest one
   * @param entries the entries of all scans together
   * @param errors the number of errors
   * @param rssBytes the resident size of the server afterwards; -1 if it is not known
   * @param heapBytes the heap of the server afterwards; -1 if it is not known
   */
  record Step(
      int atOnce,
      double seconds,
      double longestSeconds,
      long entries,
      long errors,
      long rssBytes,
      long heapBytes) {
    /** Returns whether each scan had so many entries, and nothing failed. */
    boolean isComplete(long expected) {
      return errors == 0 && entries == expected * atOnce;
    }

    private JsonObject json() {
      JsonObject json = new JsonObject();
      json.addProperty("atOnce", atOnce);
      json.add("seconds", JsonNumber.of(seconds));
      json.add("longestSeconds", JsonNumber.of(longestSeconds));
      json.addProperty("entries", entries);
      json.addProperty("errors", errors);
      json.addProperty("rssBytes", rssBytes);
      json.addProperty("heapBytes", heapBytes);
      return json;
    }
  }

  private final ScannedServer server;
  private final LoadSettings settings;
  private final List<Step> steps = new ArrayList<>();
  private long liveHeapBytes = -1;

  /**
   * Prepares the scans.
   *
   * @param settings a {@code scan}; its connections, operations and times do not matter
   */
  ServerScans(ScannedServer server, LoadSettings settings) {
    this.server = server;
    this.settings = settings;
  }

  /**
   * Scans once, once again, and then by each number of clients at once.
   *
   * @throws LoadTestException if connections cannot be set up
   */
  void run(List<Integer> clients) throws LoadTestException, InterruptedException {
    List<Integer> all = new ArrayList<>(List.of(1, 1));
    all.addAll(clients);
    for (int atOnce : all) {
      LoadReport report = LoadRun.run(settings.once(atOnce));
      steps.add(step(atOnce, report));
    }
    liveHeapBytes = server.heapBytes(true);
  }

  private Step step(int atOnce, LoadReport report) throws InterruptedException {
    boolean isMeasured = report.corrected().getTotalCount() > 0;
    return new Step(
        atOnce,
        isMeasured ? report.corrected().getMean() / NANOS_PER_SECOND : Double.NaN,
        report.corrected().getMaxValue() / NANOS_PER_SECOND,
        report.units(),
        report.errorCount(),
        report.resources().server().rssBytes(),
        server.heapBytes(false));
  }

  ScannedServer server() {
    return server;
  }

  Step first() {
    return steps.getFirst();
  }

  Step second() {
    return steps.get(1);
  }

  /** Returns the step with so many clients at once that followed the first two. */
  Step atOnce(int index) {
    return steps.get(2 + index);
  }

  /** Returns the largest resident size after a step. */
  long largestRssBytes() {
    return steps.stream().mapToLong(Step::rssBytes).max().orElse(-1);
  }

  /** Returns the heap in use after a collection at the end; -1 if it is not known. */
  long liveHeapBytes() {
    return liveHeapBytes;
  }

  /** Returns whether every scan had so many entries; 0 stands for those of the first scan. */
  boolean isComplete(long expected) {
    long wanted = expected == 0 ? first().entries() : expected;
    return wanted > 0 && steps.stream().allMatch(step -> step.isComplete(wanted));
  }

  /** The results for programs. */
  JsonObject json() throws IOException {
    JsonArray all = new JsonArray();
    steps.forEach(step -> all.add(step.json()));
    JsonObject json = new JsonObject();
    json.addProperty("name", server.name());
    json.addProperty("url", server.url());
    json.addProperty("dataBytes", server.dataBytes());
    json.addProperty("liveHeapBytes", liveHeapBytes);
    json.add("scans", all);
    return json;
  }
}
