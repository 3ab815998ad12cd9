package org.nyala.loadtest.result;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * The results of one of several servers that share the load. Immutable.
 *
 * @param server its address
 * @param connections connections of the job to it; a client of {@code authenticate} has two
 * @param operations operations that it answered rightly in the measured period
 * @param failed operations that failed there, in the whole test
 * @param lost connections to it that it closed, that could not be opened or that were given up
 */
public record ServerReport(
    InetSocketAddress server, int connections, long operations, long failed, long lost) {

  /** The reports of all servers in their order; none if there is one server only. */
  static List<ServerReport> of(LoadSettings settings, List<LoopStatistics> loops) {
    List<InetSocketAddress> servers = settings.servers();
    List<ServerReport> reports = new ArrayList<>();
    for (int i = 0; i < servers.size() && servers.size() > 1; i++) {
      int server = i;
      int connections = (settings.connections() - i + servers.size() - 1) / servers.size();
      reports.add(
          new ServerReport(
              servers.get(i),
              connections,
              loops.stream().mapToLong(loop -> loop.measuredOf(server)).sum(),
              loops.stream().mapToLong(loop -> loop.failedOf(server)).sum(),
              loops.stream().mapToLong(loop -> loop.lostOf(server)).sum()));
    }
    return reports;
  }
}
