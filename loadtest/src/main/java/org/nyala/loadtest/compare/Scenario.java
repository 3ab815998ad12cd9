package org.nyala.loadtest.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;

/** A kind of load under which dispatch strategies are compared. */
enum Scenario {
  /** Cheap reads by few clients. */
  CHEAP_16(part(JobKind.SEARCH, 16)),
  /** Cheap reads by as many clients as the experiment of 2005 began with. */
  CHEAP_128(part(JobKind.SEARCH, 128)),
  CHEAP_1000(part(JobKind.SEARCH, 1000)),
  /** Cheap reads by as many clients as the experiment of 2005 ended with. */
  CHEAP_10000(part(JobKind.SEARCH, 10_000)),
  /** Cheap reads, and slow scans at about every hundredth operation. */
  SCANS(part(JobKind.SEARCH, 64), part(JobKind.SCAN, 2)),
  /** Nothing but operations that each take some hundred microseconds: pages of 500 entries. */
  PAGES(part(JobKind.PAGED, 64)),
  /** Changes only. */
  WRITES(part(JobKind.MODIFY, 64)),
  /** The experiment of 2006: a search, then a bind as the entry found. */
  AUTHENTICATE(part(JobKind.AUTHENTICATE, 64)),
  /**
   * The experiment of 2013, after the tester that comes with slapd: readers and writers at once.
   */
  TESTER(part(JobKind.SEARCH, 16), part(JobKind.MODIFY, 8), part(JobKind.ADD_DELETE, 8)),
  /**
   * Cheap reads, and logins whose passwords take milliseconds to check. The last one, because it
   * leaves such passwords behind.
   */
  SLOW_HASHES(part(JobKind.SEARCH, 64), part(JobKind.BIND, 8));

  /** A job of a regime, and its number of clients. Immutable. */
  record Part(JobKind kind, int connections) {}

  /** The number of people whose passwords are slow to check. */
  static final int SLOW_PASSWORDS = 32;

  // Made by List.of, and therefore immutable.
  @SuppressWarnings("ImmutableEnumChecker")
  private final List<Part> parts;

  Scenario(Part... parts) {
    this.parts = List.of(parts);
  }

  private static Part part(JobKind kind, int connections) {
    return new Part(kind, connections);
  }

  /** The name on the command line and in reports. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The regimes of these names, in the order of this class; all if the list is empty. */
  static List<Scenario> of(List<String> labels) throws LoadTestException {
    List<String> known = Arrays.stream(values()).map(Scenario::label).toList();
    List<String> unknown = new ArrayList<>(labels);
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw new LoadTestException("--regimes: " + unknown + " not among " + known);
    }
    return Arrays.stream(values())
        .filter(regime -> labels.isEmpty() || labels.contains(regime.label()))
        .toList();
  }

  /** The number of clients of a regime of cheap reads only; empty for any other regime. */
  OptionalInt connectionsOfCheapReads() {
    return name().startsWith("CHEAP_")
        ? OptionalInt.of(parts.getFirst().connections())
        : OptionalInt.empty();
  }

  /** A description of the clients' work, in words. */
  String description() {
    return parts.stream()
        .map(part -> part.connections() + " " + part.kind().label())
        .collect(Collectors.joining(" + "));
  }

  /** The loads to run against a server. */
  List<LoadSettings> settings(ServerProcess server, int people, double seconds, double warmup) {
    List<LoadSettings> settings = new ArrayList<>();
    for (Part part : parts) {
      boolean isSlow = this == SLOW_HASHES && part.kind() == JobKind.BIND;
      settings.add(
          new LoadSettings(
              part.kind(),
              server.address(),
              part.connections(),
              1,
              TestDuration.of(seconds, warmup),
              People.of(isSlow ? SLOW_PASSWORDS : people),
              ServerProcess.account(part.kind()),
              server.pid(),
              JobOptions.DEFAULT));
    }
    return settings;
  }
}
