package org.nyala.loadtest.agent;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.Reports;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * A test whose load comes from agents: each runs its share, all begin at one moment, and their
 * figures are joined. Confined to the thread that runs the test.
 */
public final class Coordinator {
  /** The time from the readiness of the last agent to the common beginning. */
  private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Map<String, InetSocketAddress> addresses;
  private final Secret secret;
  private final List<String> arguments;
  private final List<LoadSettings> parts;
  private final Map<String, String> agents = new LinkedHashMap<>();

  /**
   * Prepares a test.
   *
   * @param addresses the agents by name
   * @param arguments the command line of the job for agents
   * @param parts the whole test, job by job
   * @throws IllegalArgumentException if the test cannot be split among so many
   */
  Coordinator(
      Map<String, InetSocketAddress> addresses,
      Secret secret,
      List<String> arguments,
      List<LoadSettings> parts) {
    this.addresses = addresses;
    this.secret = secret;
    this.arguments = arguments;
    this.parts = parts;
    for (int i = 0; i < addresses.size(); i++) {
      parts.forEach(new Share(i, addresses.size())::of);
    }
  }

  /** The figures of one agent that came. Immutable. */
  private record Ended(Share share, List<LoadReport> reports) {}

  /**
   * Runs the test and joins the figures of all agents, job by job. An agent whose figures are
   * missing is an error in them.
   *
   * @throws LoadTestException if an agent cannot begin, or none has figures
   */
  public List<LoadReport> run() throws LoadTestException, InterruptedException {
    List<RemoteAgent> connected = new ArrayList<>();
    try {
      for (Map.Entry<String, InetSocketAddress> address : addresses.entrySet()) {
        connected.add(RemoteAgent.connect(address.getKey(), address.getValue(), secret));
      }
      return run(connected);
    } finally {
      connected.forEach(RemoteAgent::close);
    }
  }

  private List<LoadReport> run(List<RemoteAgent> connected)
      throws LoadTestException, InterruptedException {
    boolean areLoggedIn =
        parts.stream()
            .anyMatch(part -> part.people().logins().rightCount() >= part.people().users());
    for (int i = 0; i < connected.size(); i++) {
      AgentTask test = new AgentTask(arguments, i, connected.size(), areLoggedIn);
      connected.get(i).start(test, parts.size());
    }
    long slowest = 0;
    for (RemoteAgent agent : connected) {
      agent.awaitReady();
      slowest = Math.max(slowest, agent.roundTripNanos());
    }
    long begin = System.nanoTime() + LEAD_NANOS + 2 * slowest;
    for (RemoteAgent agent : connected) {
      agent.begin(begin);
    }
    List<Ended> ended = new ArrayList<>();
    List<String> lost = new ArrayList<>();
    for (int i = 0; i < connected.size(); i++) {
      RemoteAgent agent = connected.get(i);
      Share share = new Share(i, connected.size());
      try {
        AgentResult result = agent.result();
        ended.add(new Ended(share, result.reports()));
        agents.put(
            "agent " + agent.name(),
            line(agent, share, result, agent.here(result.startedNanos()) - begin));
      } catch (LoadTestException e) {
        lost.add(e.getMessage());
        agents.put(
            "agent " + agent.name(),
            share(share)
                + "; its figures are missing, the result is incomplete: "
                + e.getMessage());
      }
    }
    if (ended.isEmpty()) {
      throw new LoadTestException("no agent has figures: " + String.join("; ", lost));
    }
    return joined(ended, lost.size());
  }

  private List<LoadReport> joined(List<Ended> ended, int lost) {
    List<LoadReport> joined = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      int part = i;
      joined.add(
          Reports.ofHosts(
              parts.get(i),
              ended.stream().map(each -> each.reports().get(part)).toList(),
              i == 0 ? lost : 0));
    }
    return joined;
  }

  /** A line about each agent, by name: its share, its beginning, its figures. */
  public Map<String, String> agents() {
    return agents;
  }

  private String share(Share share) {
    LoadSettings own = share.of(parts.getFirst());
    return String.format(
        Locale.ROOT,
        "share %d of %d (%d connections%s)",
        share.index() + 1,
        share.count(),
        own.connections(),
        own.pace().isOpen() ? ", " + FigureText.count(own.pace().rate()) + "/s" : "");
  }

  private String line(RemoteAgent agent, Share share, AgentResult result, long lateNanos) {
    LoadReport first = result.reports().getFirst();
    long operations = result.reports().stream().mapToLong(LoadReport::operations).sum();
    double micros = first.clientCpuMicros();
    return String.format(
        Locale.ROOT,
        "%s; began %+.1f ms from the common moment (its clock is known to %.1f ms); %,d operations,"
            + " %d errors; client CPU %s; it %s",
        share(share),
        lateNanos / 1e6,
        agent.roundTripNanos() / 2e6,
        operations,
        result.reports().stream().mapToLong(LoadReport::errorCount).sum(),
        Double.isNaN(micros) ? "not known" : String.format(Locale.ROOT, "%.2f µs each", micros),
        Disturbance.text(first.intervals()));
  }
}
