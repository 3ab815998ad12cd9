package org.nyala.server;

import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.nyala.config.NyalaConfig;
import org.nyala.core.contention.Contention;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.error.Version;
import org.nyala.management.MonitorTree;
import org.nyala.management.Notifications;

/**
 * What the parts of a server share.
 *
 * <p>Immutable, but for what is counted and told.
 *
 * @param configuration what the server was started with
 * @param metrics what it counts
 * @param nanoClock measures times
 * @param contention what operations wait for
 * @param logs what it writes down
 * @param monitor what it shows of itself over LDAP
 * @param notices what it tells without being asked
 */
record SharedComponents(
    NyalaConfig configuration,
    ServerMetrics metrics,
    LongSupplier nanoClock,
    Contention contention,
    ServerLogs logs,
    MonitorTree monitor,
    Notifications notices) {

  /** The parts of a server that starts. */
  static SharedComponents of(NyalaConfig configuration, ServerLogs logs) {
    LongSupplier nanoClock = System::nanoTime;
    InstantSource clock = InstantSource.system();
    return new SharedComponents(
        configuration,
        new ServerMetrics(),
        nanoClock,
        new Contention(nanoClock),
        logs,
        new MonitorTree(clock, Version.program()),
        new Notifications(clock));
  }
}
