package org.nyala.loadtest.cli;

import java.util.List;
import org.nyala.loadtest.workload.LoadSettings;
import picocli.CommandLine.Option;

/** The options that choose the servers to compare. Set by picocli, then only read. */
final class CompareOptions {
  @Option(
      names = "--compare",
      arity = "2..*",
      paramLabel = "URL",
      description =
          "do the same to several servers, round by round in an order that changes, instead of"
              + " --url; each is compared with the first one")
  private List<String> urls = List.of();

  @Option(
      names = "--compare-pids",
      split = ",",
      paramLabel = "PID",
      description = "their process ids, in the same order, to report CPU time")
  private List<Long> pids = List.of();

  @Option(
      names = "--rounds",
      description = "how many rounds of a comparison count; one more before them warms up")
  private int rounds = 5;

  boolean isWanted() {
    return !urls.isEmpty();
  }

  List<String> urls() {
    return urls;
  }

  int rounds() {
    return rounds;
  }

  /** The process of a server; 0 if it is not known. */
  long pid(int server) {
    return server < pids.size() ? pids.get(server) : 0;
  }

  /** Throws {@link IllegalArgumentException} if a value is out of range. */
  void check() {
    LoadSettings.require(rounds >= 1 && rounds <= 1000, "--rounds", "from 1 to 1000", rounds);
    LoadSettings.require(
        pids.isEmpty() || pids.size() == urls.size(),
        "--compare-pids",
        "one process id for each URL",
        pids);
  }
}
